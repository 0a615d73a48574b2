package elements

// SecretFunction says whether a field is for a password, a card or a one-time
// code; the same as extension/src/page/value.ts.
//
//nolint:gosec // patterns of field names, no credentials
const SecretFunction = `
	const tokens = /(^|\s)(cc-(number|csc|exp|exp-month|exp-year)|one-time-code|current-password|new-password)(\s|$)/i;
	const names = /(^|[^a-z])(cvv2?|cvc2?|csc|otp|one.?time.?(code|pass)|passw(or)?d|card.?(number|num|no)|cc.?(number|num|no))([^a-z]|$)/i;
	const secret = (f) => f.getAttribute('type')?.toLowerCase() === 'password' || tokens.test(f.getAttribute('autocomplete') ?? '')
		|| names.test(f.getAttribute('name') ?? '') || names.test(f.id);
`

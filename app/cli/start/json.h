// Text that grows, and JSON: as much of it as the app writes and a plain command
// needs. Whatever is read here that is not as it should be is left to the whole
// program, which has encoding/json.

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// text is bytes that grow.
struct text {
	char *at;
	size_t size, room;
};

// grow makes room for more bytes; false where there is no memory.
static bool grow(struct text *t, size_t more) {
	if (t->room - t->size >= more)
		return true;
	size_t room = t->room ? t->room : 4096;
	while (room - t->size < more)
		room *= 2;
	char *at = realloc(t->at, room);
	if (!at)
		return false;
	t->at = at;
	t->room = room;
	return true;
}

static bool add(struct text *t, const char *bytes, size_t size) {
	if (size == 0)
		return true;
	if (!grow(t, size))
		return false;
	memcpy(t->at + t->size, bytes, size);
	t->size += size;
	return true;
}

static bool say(struct text *t, const char *words) { return add(t, words, strlen(words)); }

// quote writes a word as JSON. A word of anything but plain ASCII is left to the
// whole program.
static bool quote(struct text *t, const char *word) {
	for (const char *c = word; *c; c++)
		if (*c < ' ' || *c > '~' || strchr("\"\\<>&", *c))
			return false;
	return say(t, "\"") && say(t, word) && say(t, "\"");
}

// span is a part of a text; none at all has no place.
struct span {
	const char *at, *end;
};

static const char *space(const char *at, const char *end) {
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

// value is the value at a place: what is in an object or a list is only skipped.
static struct span value(const char *at, const char *end) {
	struct span none = {0}, all = {at, at};
	int depth = 0;
	while (at < end) {
		if (*at == '"') {
			for (at++; at < end && *at != '"'; at++)
				if (*at == '\\' && ++at == end)
					return none;
			if (at == end)
				return none;
			at++;
		} else if (*at == '{' || *at == '[') {
			depth++;
			at++;
		} else if (*at == '}' || *at == ']') {
			depth--;
			at++;
		} else if (depth > 0 && (*at == ',' || *at == ':' || space(at, end) > at)) {
			at++;
		} else {
			const char *from = at;
			while (at < end && (isalnum((unsigned char)*at) || *at == '-' || *at == '+' || *at == '.'))
				at++;
			if (at == from)
				return none;
		}
		if (depth < 0)
			return none;
		all.end = at;
		if (depth == 0)
			return all;
	}
	return none;
}

// member is the value of a name in an object, the last one as encoding/json has it.
// whole says whether the object is one to its end.
static struct span member(struct span in, const char *name, bool *whole) {
	struct span found = {0};
	size_t length = strlen(name);
	*whole = false;
	const char *at = space(in.at, in.end);
	if (at == in.end || *at != '{')
		return found;
	for (at = space(at + 1, in.end); at < in.end;) {
		struct span key = value(at, in.end);
		if (!key.at || *key.at != '"')
			return found;
		at = space(key.end, in.end);
		if (at == in.end || *at != ':')
			return found;
		struct span one = value(space(at + 1, in.end), in.end);
		if (!one.at)
			return found;
		if ((size_t)(key.end - key.at) == length + 2 && !memcmp(key.at + 1, name, length))
			found = one;
		at = space(one.end, in.end);
		if (at < in.end && *at == '}') {
			*whole = space(at + 1, in.end) == in.end;
			return found;
		}
		if (at == in.end || *at != ',')
			return found;
		at = space(at + 1, in.end);
	}
	return found;
}

static bool is(struct span s, const char *words) {
	return s.at && (size_t)(s.end - s.at) == strlen(words) && !memcmp(s.at, words, strlen(words));
}

// number reads a whole number that is not below 0.
static bool number(struct span s, uint64_t *into) {
	if (!s.at || s.end - s.at > 19)
		return false;
	*into = 0;
	for (const char *c = s.at; c < s.end; c++) {
		if (*c < '0' || *c > '9')
			return false;
		*into = *into * 10 + (uint64_t)(*c - '0');
	}
	return s.at < s.end;
}

// unit reads four hexadecimal digits; below 0 for anything else.
static long unit(const char *at, const char *end) {
	long u = 0;
	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		if (!isxdigit((unsigned char)at[i]))
			return -1;
		u = u * 16 + (isdigit((unsigned char)at[i]) ? at[i] - '0' : tolower((unsigned char)at[i]) - 'a' + 10);
	}
	return u;
}

static bool rune(struct text *t, long r) {
	char b[4];
	if (r < 0x80)
		return b[0] = (char)r, add(t, b, 1);
	if (r < 0x800)
		return b[0] = (char)(0xc0 | r >> 6), b[1] = (char)(0x80 | (r & 63)), add(t, b, 2);
	if (r < 0x10000)
		return b[0] = (char)(0xe0 | r >> 12), b[1] = (char)(0x80 | (r >> 6 & 63)), b[2] = (char)(0x80 | (r & 63)), add(t, b, 3);
	return b[0] = (char)(0xf0 | r >> 18), b[1] = (char)(0x80 | (r >> 12 & 63)), b[2] = (char)(0x80 | (r >> 6 & 63)),
	       b[3] = (char)(0x80 | (r & 63)), add(t, b, 4);
}

// words writes what a JSON string says; false for what is none.
static bool words(struct text *t, struct span s) {
	if (!s.at || s.end - s.at < 2 || *s.at != '"')
		return false;
	const char *end = s.end - 1;
	for (const char *at = s.at + 1; at < end;) {
		const char *from = at;
		while (at < end && *at != '\\' && (unsigned char)*at >= ' ')
			at++;
		if (!add(t, from, (size_t)(at - from)))
			return false;
		if (at == end)
			break;
		if (*at != '\\' || ++at == end)
			return false;
		static const char escapes[] = "\"\\/ntrbf", stand[] = "\"\\/\n\t\r\b\f";
		const char *which = strchr(escapes, *at);
		if (*at && which) {
			if (!add(t, &stand[which - escapes], 1))
				return false;
			at++;
			continue;
		}
		long r = *at == 'u' ? unit(at + 1, end) : -1;
		if (r < 0 || (r >= 0xdc00 && r < 0xe000))
			return false;
		at += 5;
		if (r >= 0xd800 && r < 0xdc00) {
			long low = end - at >= 6 && at[0] == '\\' && at[1] == 'u' ? unit(at + 2, end) : -1;
			if (low < 0xdc00 || low >= 0xe000)
				return false;
			r = 0x10000 + ((r - 0xd800) << 10) + (low - 0xdc00);
			at += 6;
		}
		if (!rune(t, r))
			return false;
	}
	return true;
}

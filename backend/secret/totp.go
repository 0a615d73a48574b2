package secret

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // RFC 6238: the codes of nearly all sites
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Code returns the one-time code (RFC 6238) of a key at a time. The key is in base
// 32 with or without spaces, or an otpauth:// address, which may also say the
// algorithm, the digits and the period.
func Code(key string, at time.Time) (string, error) {
	digits, period := 6, int64(30)
	algorithm := sha1.New
	if strings.HasPrefix(key, "otpauth://") {
		u, err := url.Parse(key)
		if err != nil || u.Host != "totp" {
			return "", errors.New("the address is not otpauth://totp/")
		}
		q := u.Query()
		key = q.Get("secret")
		if text := q.Get("digits"); text != "" {
			if digits, err = strconv.Atoi(text); err != nil || digits < 6 || digits > 8 {
				return "", errors.New("a code has 6 to 8 digits")
			}
		}
		if text := q.Get("period"); text != "" {
			if period, err = strconv.ParseInt(text, 10, 64); err != nil || period < 5 || period > 300 {
				return "", errors.New("the period is 5 to 300 seconds")
			}
		}
		switch strings.ToUpper(q.Get("algorithm")) {
		case "", "SHA1":
		case "SHA256":
			algorithm = sha256.New
		case "SHA512":
			algorithm = sha512.New
		default:
			return "", errors.New("the algorithm is not known")
		}
	}
	key = strings.ToUpper(strings.TrimRight(strings.NewReplacer(" ", "", "-", "", "\n", "").Replace(key), "="))
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(key)
	if err != nil || len(raw) == 0 {
		return "", errors.New("it is not in base 32")
	}
	mac := hmac.New(algorithm, raw)
	_ = binary.Write(mac, binary.BigEndian, uint64(at.Unix()/period))
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	modulus := uint32(1)
	for range digits {
		modulus *= 10
	}
	return fmt.Sprintf("%0*d", digits, number%modulus), nil
}

package warc

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// Digest is a labelled digest as in WARC-Block-Digest.
type Digest struct {
	Algo string // "sha1", "sha256", "sha512" or "md5"
	Sum  []byte
}

// NewHash returns the hash function called algo, nil if it is unknown.
func NewHash(algo string) hash.Hash {
	switch algo {
	case "sha1":
		return sha1.New()
	case "sha256":
		return sha256.New()
	case "sha512":
		return sha512.New()
	case "md5":
		return md5.New()
	}
	return nil
}

// SumDigest returns the digest of parts, taken as one, by algo, and the zero
// Digest if algo is unknown.
func SumDigest(algo string, parts ...[]byte) Digest {
	h := NewHash(algo)
	if h == nil {
		return Digest{}
	}
	for _, p := range parts {
		h.Write(p)
	}
	return Digest{algo, h.Sum(nil)}
}

// ParseDigest reads "algorithm:value", the value in base32 or hex of any letter
// case, told apart by its length; the label may be written sha-256. A bare
// value of 32 base32 letters is SHA-1, as CDX files have it. It returns an
// error for an unknown algorithm and for a value that does not fit it.
func ParseDigest(s string) (Digest, error) {
	algo, value, ok := strings.Cut(strings.TrimSpace(s), ":")
	if !ok {
		algo, value = "sha1", algo
	}
	algo = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(algo)), "-", "")
	h := NewHash(algo)
	if h == nil {
		return Digest{}, fmt.Errorf("unknown digest algorithm in %s", show([]byte(s)))
	}
	value = strings.TrimRight(strings.TrimSpace(value), "=")
	var sum []byte
	var err error
	if len(value) == 2*h.Size() {
		sum, err = hex.DecodeString(value)
	} else {
		sum, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(value))
	}
	if err != nil || len(sum) != h.Size() {
		return Digest{}, fmt.Errorf("unreadable %s digest %s", algo, show([]byte(s)))
	}
	return Digest{algo, sum}, nil
}

// String writes d the way most files have it: base32 for SHA-1 and MD5, hex for
// the longer ones. The zero Digest is "".
func (d Digest) String() string {
	switch d.Algo {
	case "":
		return ""
	case "sha256", "sha512":
		return d.Algo + ":" + hex.EncodeToString(d.Sum)
	}
	return d.Algo + ":" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(d.Sum)
}

// Equal tells whether d and e are the same digest, however they were written.
func (d Digest) Equal(e Digest) bool {
	return d.Algo == e.Algo && bytes.Equal(d.Sum, e.Sum)
}

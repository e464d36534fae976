package extract

// appendAttrs appends the attributes of the start tag raw, "<a href=x>", which
// holds no character reference. It follows the tokenizer of x/net/html, whose
// raw tag it is given, and makes the keys lower case in place.
func appendAttrs(dst []attr, raw []byte) []attr {
	i := 1
	for i < len(raw) && !isTagSpace(raw[i]) && raw[i] != '/' && raw[i] != '>' {
		i++
	}
	for i < len(raw) {
		for i < len(raw) && isTagSpace(raw[i]) {
			i++
		}
		if i == len(raw) || raw[i] == '>' {
			break
		}
		if raw[i] == '/' {
			i++
			continue
		}
		// The first byte belongs to the key even if it is '='.
		from := i
		for i++; i < len(raw) && !isTagSpace(raw[i]) && raw[i] != '/' && raw[i] != '>' && raw[i] != '='; i++ {
		}
		key := raw[from:i]
		for k, c := range key {
			if 'A' <= c && c <= 'Z' {
				key[k] = c + 'a' - 'A'
			}
		}
		for i < len(raw) && isTagSpace(raw[i]) {
			i++
		}
		if i == len(raw) || raw[i] != '=' {
			dst = append(dst, attr{key: key})
			continue
		}
		for i++; i < len(raw) && isTagSpace(raw[i]); {
			i++
		}
		var val []byte
		val, i = attrValue(raw, i)
		dst = append(dst, attr{key, val})
	}
	return dst
}

// attrValue returns the value at i and where to read on.
func attrValue(raw []byte, i int) ([]byte, int) {
	if i == len(raw) {
		return nil, i
	}
	from := i
	if q := raw[i]; q == '"' || q == '\'' {
		for i++; i < len(raw) && raw[i] != q; i++ {
		}
		return raw[from+1 : i], min(i+1, len(raw))
	}
	for i < len(raw) && !isTagSpace(raw[i]) && raw[i] != '>' {
		i++
	}
	return raw[from:i], i
}

func isTagSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f'
}

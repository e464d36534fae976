package configs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// redacted is what every printed form of a set secret shows.
const redacted = "[redacted]"

// Secret is a value that no printed form shows: not fmt with any verb, not slog, JSON or YAML. Only Reveal gives it.
type Secret string

// Reveal gives the value itself. Its result belongs in a connection or a header, never in a message.
func (s Secret) Reveal() string { return string(s) }

// String gives "[redacted]", or "" for the empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format keeps verbs that pass over String, such as %x and %#v, from showing the value.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue keeps the value out of slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText keeps the value out of JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes the text as it is.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(text)
	return nil
}

// Path names a file or folder. A relative one is taken from the folder of the configuration file that names it;
// after loading the two are joined.
type Path string

// UnmarshalText takes the text as it is; the decoder joins it with the folder.
func (p *Path) UnmarshalText(text []byte) error {
	if strings.ContainsRune(string(text), 0) {
		return &fault{message: "holds a zero byte"}
	}
	*p = Path(text)
	return nil
}

// in gives the path as seen from the program when it stands in a file of folder dir.
func (p Path) in(dir string) Path {
	if p == "" || filepath.IsAbs(string(p)) {
		return p
	}
	return Path(filepath.Join(dir, string(p)))
}

// SecretFile names a file that holds one secret. It is read only when the secret is needed. Relative as for Path.
type SecretFile string

// UnmarshalText takes the text as it is; the decoder joins it with the folder.
func (f *SecretFile) UnmarshalText(text []byte) error { return (*Path)(f).UnmarshalText(text) }

// Read gives the file's content without its line end. Where the file is missing, the file of the same base name in
// credentials is taken, the folder that systemd names in $CREDENTIALS_DIRECTORY (empty: there is none). A file that
// any user of the machine may read is refused, and so is an empty one. No error holds any of the content.
func (f SecretFile) Read(credentials string) (Secret, error) {
	secret, err := readSecret(string(f))
	if errors.Is(err, fs.ErrNotExist) && credentials != "" {
		var fallback error
		secret, fallback = readSecret(filepath.Join(credentials, filepath.Base(string(f))))
		if !errors.Is(fallback, fs.ErrNotExist) {
			err = fallback
		}
	}
	return secret, err
}

func readSecret(path string) (Secret, error) {
	const most = 64 << 10      // no secret is longer; a wrong path to a huge file must not fill the memory
	info, err := os.Stat(path) // before opening, since opening a named pipe would wait
	if err != nil {
		return "", secretError(path, err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("secret file %s is not a plain file", path)
	}
	if info.Mode().Perm()&0o004 != 0 {
		return "", fmt.Errorf("secret file %s may be read by every user (mode %04o): run chmod o-r %s", path, info.Mode().Perm(), path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", secretError(path, err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return "", fmt.Errorf("secret file: %w", err)
	}
	if len(content) > most {
		return "", fmt.Errorf("secret file %s is longer than %d bytes", path, most)
	}
	text := strings.TrimRight(string(content), "\r\n")
	if text == "" {
		return "", fmt.Errorf("secret file %s is empty: write the secret into it", path)
	}
	return Secret(text), nil
}

// secretError says what to do about a file that cannot be opened.
func secretError(path string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err // the path is said
	}
	advice := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		advice = "; make it, for the service's user alone to read, or correct the path"
	case errors.Is(err, fs.ErrPermission):
		advice = "; run this as the service's user, or give the file to who runs it"
	}
	return fmt.Errorf("secret file %s: %w%s", path, err, advice)
}

// SecretFiles gives all files of secrets that the configuration names, in its order.
func (c *Config) SecretFiles() []SecretFile {
	all := []SecretFile{c.Database.URLFile, c.HTTP.TokenFile, c.HTTP.EditorTokenFile}
	for i := range c.Targets {
		all = append(all, c.Targets[i].URLFile)
		if w := c.Targets[i].Webhook; w != nil {
			all = append(all, w.SecretFile)
		}
	}
	return slices.DeleteFunc(all, func(f SecretFile) bool { return f == "" })
}

package main

import (
	"errors"
	"os"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/clock"
)

// checksOf gives what a daemon on a clock has its configuration checked for beside its files. Where the
// time is not the machine's no message leaves the machine and no secret of a target is read.
func checksOf(a *app, clk clock.Clock) []func(*configs.Config) configs.Errors {
	if _, ok := clk.(clock.Real); !ok {
		return nil
	}
	return []func(*configs.Config) configs.Errors{a.verify}
}

// verify finds what the daemon would stumble over and files cannot tell of themselves: secrets, programs, services,
// the database's URL. Nothing is connected to. Commands that only look are content without it.
func (a *app) verify(c *configs.Config) configs.Errors {
	var out configs.Errors
	credentials := os.Getenv("CREDENTIALS_DIRECTORY")
	secret := func(key string, file configs.SecretFile) configs.Secret {
		if file == "" {
			return ""
		}
		s, err := file.Read(credentials)
		if err != nil {
			out = append(out, c.Fault(key, err.Error(), ""))
		}
		return s
	}
	if a.flags.Database == "" {
		for key, url := range map[string]configs.Secret{"database.url": c.Database.URL, "database.url_file": secret("database.url_file", c.Database.URLFile)} {
			if url == "" {
				continue
			}
			if _, err := pgx.ParseConfig(url.Reveal()); err != nil { // it may hold the password
				out = append(out, c.Fault(key, "is not the URL of a database", "postgres://user@host/name"))
			}
		}
	}
	secret("http.token_file", c.HTTP.TokenFile)
	secret("http.editor_token_file", c.HTTP.EditorTokenFile)
	var targets configs.Errors
	if _, err := buildTargets(c); errors.As(err, &targets) {
		out = append(out, targets...)
	}
	return out
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store"
)

// login is how a reader connects: an address and the settings of the session.
type login struct {
	address  string
	settings map[string]string
}

// ownerLimits gives the settings of a session that has to stay what its URL names: what changes nothing and
// ends by itself, as near to the reader's role as an owner's session comes.
func ownerLimits() map[string]string {
	return map[string]string{
		"default_transaction_read_only": "on", "statement_timeout": "60s", "lock_timeout": "5s", "idle_session_timeout": "8h",
		"search_path": "api_v1, pg_catalog", "timezone": "UTC",
	}
}

// readerLogin gives the login of the role that sees the views and nothing else. The private
// PostgreSQL lets the role in by itself. On a server of somebody else's it has no password that
// the program knows: the role of the URL logs in and takes the reader's for its session, with the
// reader's limits. Where it may not, because nobody ran 'db grant-reader', the session is the
// URL's own role with limits, and w is told so.
func (o *opened) readerLogin(ctx context.Context, w io.Writer) (login, error) {
	if o.server == nil {
		settings, err := o.ReaderSettings(ctx)
		if errors.Is(err, store.ErrNotFound) {
			fmt.Fprintf(w, "strandline: asking as the role of the database URL, read-only, which may see more than the views: 'strandline db grant-reader' makes %s\n", store.ReaderRole)
			return login{o.url, ownerLimits()}, nil
		}
		return login{o.url, settings}, err
	}
	if _, err := o.GrantReader(ctx); err != nil {
		return login{}, err
	}
	u, err := url.Parse(o.url)
	if err != nil {
		return login{}, err
	}
	u.User = url.User(store.ReaderRole)
	return login{u.String(), map[string]string{"default_transaction_read_only": "on", "search_path": "api_v1, pg_catalog", "timezone": "UTC"}}, nil
}

func (l login) connect(ctx context.Context) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(l.address)
	if err != nil {
		return nil, err
	}
	maps.Copy(config.RuntimeParams, l.settings)
	return pgx.ConnectConfig(ctx, config)
}

// options gives the settings as PGOPTIONS has them: -c name=value, blanks and backslashes escaped.
func (l login) options() string {
	escape := strings.NewReplacer(`\`, `\\`, " ", `\ `)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(l.settings)) {
		out = append(out, "-c "+name+"="+escape.Replace(l.settings[name]))
	}
	return strings.Join(out, " ")
}

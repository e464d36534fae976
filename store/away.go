package store

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Away tells the errors of a database that does not answer, or cannot now, from
// those of a statement that it refuses: connections lost (08), out of resources
// (53), shut down (57), trouble of the system (58, XX), objects in use (55) and
// transactions that met others (40). After such an error the same can be tried
// again later; an error that did not come from PostgreSQL counts too.
func Away(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || len(pg.Code) < 2 {
		return true
	}
	switch pg.Code[:2] {
	case "08", "53", "57", "58", "40", "55", "XX":
		return true
	}
	return false
}

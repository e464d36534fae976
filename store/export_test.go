package store

import "context"

// NewProvider gives tests the steps one by one, and the way down.
var NewProvider = newProvider

// Lease and ReadClaims are the two parts of Claim, to be measured apart.
func (db *DB) Lease(ctx context.Context, r ClaimRequest) ([]*Claim, error) { return db.claim(ctx, r) }

// ReadClaims is the second part.
func (db *DB) ReadClaims(ctx context.Context, claims []*Claim) error {
	return db.readClaims(ctx, claims)
}

// SchemaLines tells the schema as schema.txt does.
func (db *DB) SchemaLines(ctx context.Context) ([]string, error) { return db.schemaLines(ctx) }

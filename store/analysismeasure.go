package store

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// The measures that views show are arrays, a row a page and kind, so that a
// version that moves every point of a curve writes one row.
var (
	qPutCurve = statement{routed, `
		insert into core.page_curve (page_id, bucket, version, steps, dice, support, full_step, shape, knot_hours, knot_dice, slope1, slope2,
		                             sse, computed_at)
		values ($1, $2, $3, $4, $5::float8[], $6, $7, $8, $9::float8, $10::float8, $11::float8, $12::float8, $13::float8, $14)
		on conflict (page_id, bucket) do update set
		    version = excluded.version, steps = excluded.steps, dice = excluded.dice, support = excluded.support,
		    full_step = excluded.full_step, shape = excluded.shape, knot_hours = excluded.knot_hours, knot_dice = excluded.knot_dice,
		    slope1 = excluded.slope1, slope2 = excluded.slope2, sse = excluded.sse, computed_at = excluded.computed_at`}
	qPutTerms = statement{routed, `
		insert into core.page_terms (page_id, bucket, version, origin, sampled, terms, power, p_doc, first_slot, last_slot, versions, computed_at)
		values ($1, $2, $3, $4, $5::float8, $6, $7::float8[], $8::float8[], $9, $10, $11, $12)
		on conflict (page_id, bucket) do update set
		    version = excluded.version, origin = excluded.origin, sampled = excluded.sampled, terms = excluded.terms, power = excluded.power,
		    p_doc = excluded.p_doc, first_slot = excluded.first_slot, last_slot = excluded.last_slot, versions = excluded.versions,
		    computed_at = excluded.computed_at`}
	qPutElements = statement{routed, `
		insert into core.page_elements (page_id, bucket, version, origin, exact, depth, paths, life, travel, first_slot, last_slot, survival,
		                                computed_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8::float8[], $9::float8[], $10, $11, $12::float8[], $13)
		on conflict (page_id, bucket) do update set
		    version = excluded.version, origin = excluded.origin, exact = excluded.exact, depth = excluded.depth, paths = excluded.paths,
		    life = excluded.life, travel = excluded.travel, first_slot = excluded.first_slot, last_slot = excluded.last_slot,
		    survival = excluded.survival, computed_at = excluded.computed_at`}
)

// Measures are a page's measures as views show them. What is undefined is nil.
type Measures struct {
	Page    PageID
	Version int32     // the last one covered
	Until   time.Time // the last fetch that they count
	Origin  time.Time // middle of slot 0

	Curve    CurveMeasure
	Terms    []TermMeasure
	Sampled  float64 // share of the terms that Terms has
	Elements []ElementMeasure
	Exact    bool // Elements follow from all that was seen
	Depth    int  // levels of elements
	// Survival is the share of the first elements at each horizon of SCIENCE A28.
	Survival []*float64
}

// CurveMeasure is a change curve: its points that have a value, and its fit.
type CurveMeasure struct {
	Steps, Support                              []int32
	Dice                                        []float64
	Full                                        int32
	Shape                                       string
	KnotHours, KnotDice, Slope1, Slope2, SumErr *float64
}

// TermMeasure is a term of a page; First and Last are slots.
type TermMeasure struct {
	Term                  string
	Power                 *float64
	Share                 float64
	First, Last, Versions int32
}

// ElementMeasure is an element of a page; First and Last are slots.
type ElementMeasure struct {
	Path         string
	Life, Travel *float64 // hours
	First, Last  int32
}

// queueMeasures adds to a batch what stores a page's measures in place of earlier ones.
func (t *Tx) queueMeasures(b *pgx.Batch, m *Measures) {
	now, bucket, c := t.db.now(), m.Page.Bucket(), &m.Curve
	b.Queue(qPutCurve.sql, m.Page, bucket, m.Version, notNil(c.Steps), notNil(c.Dice), notNil(c.Support), c.Full, c.Shape,
		c.KnotHours, c.KnotDice, c.Slope1, c.Slope2, c.SumErr, now)
	n := len(m.Terms)
	names, power, share := make([]string, n), make([]*float64, n), make([]float64, n)
	first, last, versions := make([]int32, n), make([]int32, n), make([]int32, n)
	for i, w := range m.Terms {
		names[i], power[i], share[i], first[i], last[i], versions[i] = cleanText(w.Term), w.Power, w.Share, w.First, w.Last, w.Versions
	}
	b.Queue(qPutTerms.sql, m.Page, bucket, m.Version, m.Origin, m.Sampled, names, power, share, first, last, versions, now)
	n = len(m.Elements)
	paths, life, travel := make([]string, n), make([]*float64, n), make([]*float64, n)
	first, last = make([]int32, n), make([]int32, n)
	for i, e := range m.Elements {
		paths[i], life[i], travel[i], first[i], last[i] = cleanText(e.Path), e.Life, e.Travel, e.First, e.Last
	}
	b.Queue(qPutElements.sql, m.Page, bucket, m.Version, m.Origin, m.Exact, m.Depth, paths, life, travel, first, last, notNil(m.Survival), now)
}

// notNil makes an empty array of what would be null.
func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Package measure applies one formula of the papers to one JSON document: the
// command measure. Each formula is the very function that the program uses on
// its own data, so that anyone can check it on numbers of their own.
//
// Apply looks a formula up by name, reads the document strictly and returns a
// value to be printed as JSON. Numbers may be given as numbers or as strings such
// as "9/10"; what is undefined comes back as null, never as NaN. A fault in the
// document is an InputError that names the place by its JSON path.
package measure

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// InputError is a fault in the document.
type InputError struct {
	Path string // JSON path such as $.versions[2].t
	Msg  string
}

func (e *InputError) Error() string { return e.Path + ": " + e.Msg }

// formula computes one measure from its document.
type formula func(in value) any

// formulas by name.
func formulas() map[string]formula {
	return map[string]formula{
		"dice":          diceOf,
		"events":        events,
		"sentences":     sentences,
		"new-sentences": newSentences,
		"robots":        robotsAllowed,
		"url":           canonicalURLs,
		"curve":         changeCurve,
		"knot":          knot,
		"staying-power": stayingPower,
		"divergence":    divergence,
		"schedule":      schedule,
		"dom":           elements,
		"classify":      classify,
		"novelty":       noveltyScores,
		"dated":         dated,
		"weights":       weights,
		"scores":        scores,
		"uptodate":      upToDate,
		"expand":        expand,
	}
}

// Names lists the formulas in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(formulas())) }

// Apply computes a measure. Its error is an *InputError for a fault in the
// document, or says that the name is unknown.
func Apply(name string, document []byte) (out any, err error) {
	f, ok := formulas()[name]
	if !ok {
		return nil, fmt.Errorf("no measure is called %q; known are %s", name, strings.Join(Names(), ", "))
	}
	d := json.NewDecoder(strings.NewReader(string(document)))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return nil, &InputError{"$", "not JSON: " + err.Error()}
	}
	if d.More() {
		return nil, &InputError{"$", "more than one JSON value"}
	}
	// The accessors of value leave by panic, which keeps the formulas readable;
	// nothing else may.
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(*InputError)
			if !ok {
				panic(r)
			}
			out, err = nil, fault
		}
	}()
	return f(value{root, "$"}), nil
}

// number is a float for JSON: null where it is no number.
func number(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

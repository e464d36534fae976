package configs

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Feature is something a configuration can ask for that a version of the program may not do yet.
type Feature string

// The features. Database, state_dir and crawler are in every version and need none.
const (
	FeatureWatches   Feature = "watches"
	FeatureBursts    Feature = "bursts"
	FeaturePairs     Feature = "pairs"
	FeatureAuto      Feature = "auto"
	FeatureMasks     Feature = "masks"
	FeatureNotify    Feature = "notify"
	FeatureSeries    Feature = "series"
	FeatureTopics    Feature = "topics"
	FeatureTargets   Feature = "targets"
	FeatureRetention Feature = "retention"
	FeatureSitemaps  Feature = "sitemaps"
	FeatureFeeds     Feature = "feeds"
	FeatureWeb       Feature = "web"
)

// Features is the set of features that a program has.
type Features map[Feature]bool

// FeatureSet gives the set of the features named.
func FeatureSet(have ...Feature) Features {
	set := make(Features, len(have))
	for _, f := range have {
		set[f] = true
	}
	return set
}

// gates ties each key to the feature behind it. A key covers all keys below it; [] stands for any item of a list. A
// key goes from the table once every version of the program has its feature.
func gates() map[string]Feature {
	return map[string]Feature{
		"http":                           FeatureWeb,
		"retention":                      FeatureRetention,
		"watches":                        FeatureWatches,
		"watches[].schedule.auto":        FeatureAuto,
		"watches[].bursts":               FeatureBursts,
		"watches[].pairs":                FeaturePairs,
		"watches[].masks":                FeatureMasks,
		"watches[].sitemaps":             FeatureSitemaps,
		"watches[].feeds":                FeatureFeeds,
		"watches[].notify":               FeatureNotify,
		"watches[].expect_change_within": FeatureNotify,
		"watches[].quota":                FeatureRetention,
		"series":                         FeatureSeries,
		"topics":                         FeatureTopics,
		"targets":                        FeatureTargets,
	}
}

// Unbuilt gives an error for every key that is set to anything but its default and whose feature is not among those
// the program has. Of a section that is refused as a whole only the section is named. A key that the program would
// pass over in silence is worse than one it refuses.
func (c *Config) Unbuilt(have Features) []Error {
	table := gates()
	refused := func(path string) bool {
		feature, gated := table[path]
		return gated && !have[feature]
	}
	var errs Errors
	for _, p := range c.parts {
		for _, key := range slices.SortedFunc(maps.Keys(p.keys), func(a, b string) int { return cmp.Compare(len(a), len(b)) }) {
			if path := anyItem(key); p.keys[key].set && refused(path) && !slices.ContainsFunc(above(path), refused) {
				errs = append(errs, p.error(key, "is known, but this version of strandline does not do it yet; remove it"))
			}
		}
	}
	errs.sort(c.Files)
	return errs
}

// anyItem writes the path of a key with [] for each number.
func anyItem(path string) string {
	var b strings.Builder
	inside := false
	for _, c := range path {
		inside = inside && c != ']'
		if !inside {
			b.WriteRune(c)
		}
		inside = inside || c == '['
	}
	return b.String()
}

// above gives the paths of the sections and lists that hold the key.
func above(path string) []string {
	var all []string
	for i, c := range path {
		if c == '.' || c == '[' {
			all = append(all, path[:i])
		}
	}
	return all
}

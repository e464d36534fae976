package archive_test

import (
	"crypto/sha1" //nolint:gosec // the digest of archives
	unescape "html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/store"
)

// figures are what the maker of the corpus counted in a file, by a program of his
// own: captures and pages; pairs of successive captures of one page, the share of
// them whose words differ, and mean and median Dice of those.
type figures struct {
	captures, pages int
	differ          float64
	mean, median    float64
	slack           float64 // of mean and median, where it is not the usual one
}

// corpusFigures by file. Words are defined a little differently there: runs of
// the characters that \w means, of the title as well as of the visible text, in
// one set, where ours are the words of UAX 29 in the visible text alone. See
// TestCorpusWords for the two files that have a slack of their own.
func corpusFigures() map[string]figures {
	return map[string]figures{
		"news-de":            {372, 4, .959, .666, .500, 0},
		"news-list-cdr":      {637, 1, .962, .934, .974, 0},
		"gov-fire-dispatch":  {1551, 1, .997, .665, .667, .014},
		"gov-us-states-2020": {1420, 17, .716, .931, .984, 0},
		"terms-demo":         {428, 8, .126, .890, .997, 0},
		"site-flink":         {2382, 249, .883, .964, .995, 0},
		"blog-ja":            {1372, 153, .544, .969, .967, .012},
		"docs-httpd20":       {1577, 229, .992, .984, .995, 0},
		"docs-teraterm":      {5886, 390, .156, .919, .969, 0},
	}
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	files := corpus(t, "terms-demo", "news-list-cdr", "gov-fire-dispatch")
	if os.Getenv("STRANDLINE_CORPUS_ALL") != "" {
		files = corpus(t)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".warc.gz")
		want, known := corpusFigures()[name]
		if !known {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			got := load(t, db, archive.ImportOptions{}, file)
			if len(got.messages) > 0 {
				t.Errorf("damage: %s", got.damage())
			}
			if _, err := monitor.New(db, monitor.Options{}).Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			var have figures
			err := db.Pool().QueryRow(t.Context(), `
				with f as (select count(*) n, count(distinct page_id) p from api_v1.fetch_log),
				     c as (select count(*) n, avg(dice) mean, percentile_cont(.5) within group (order by dice) median from api_v1.change where words_changed)
				select f.n, f.p, c.n::float8 / (f.n - f.p), c.mean, c.median from f, c`).
				Scan(&have.captures, &have.pages, &have.differ, &have.mean, &have.median)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v, want %+v", have, want)
			if have.captures != want.captures || have.pages != want.pages {
				t.Errorf("%d captures of %d pages, want %d of %d", have.captures, have.pages, want.captures, want.pages)
			}
			slack := max(want.slack, .01)
			if math.Abs(have.differ-want.differ) > .01 || math.Abs(have.mean-want.mean) > slack || math.Abs(have.median-want.median) > slack {
				t.Errorf("words differ in %.3f of pairs, mean Dice %.3f, median %.3f; want %.3f, %.3f, %.3f",
					have.differ, have.mean, have.median, want.differ, want.mean, want.median)
			}
		})
	}
}

// TestCorpusWords shows where our figures are apart from those of the corpus, by
// its own definition of words and one change to it.
//
// The page of gov-fire-dispatch has some 40 words. Five of them are the title's,
// which stay while all others go: with the title in the set the mean is that of
// the corpus, without it ours. We keep the title apart, since it is no visible
// text of the page (SCIENCE C3).
//
// In blog-ja the corpus cuts a run such as a date, where figures and kanji stand
// together, into pairs right through; we cut where the script changes, so that
// the figures stay words. That alone brings its mean to ours.
func TestCorpusWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		theirs, ours float64
		changed      func(page string) dice.WordSet
	}{
		"gov-fire-dispatch": {.665, .652, func(page string) dice.WordSet {
			return plainWords(title.ReplaceAllString(page, " "), runs)
		}},
		"blog-ja": {.969, .974, func(page string) dice.WordSet { return plainWords(page, scriptRuns) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := corpus(t, name)
			var theirs, ours mean
			before := map[string][2]dice.WordSet{}
			bodies := map[store.SHA1][]byte{}
			_, err := archive.Read(t.Context(), reader(), files, archive.ImportOptions{}, func(got *store.Capture) error {
				if got.Payload != nil {
					got.PayloadSHA1 = sha1.Sum(got.Payload) //nolint:gosec // the digest of archives
					bodies[got.PayloadSHA1] = got.Payload
				}
				page := string(bodies[got.PayloadSHA1])
				words := [2]dice.WordSet{plainWords(page, runs), c.changed(page)}
				if b, ok := before[got.URL]; ok {
					theirs.add(b[0].Dice(words[0]))
					ours.add(b[1].Dice(words[1]))
				}
				before[got.URL] = words
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(theirs.value()-c.theirs) > .001 || math.Abs(ours.value()-c.ours) > .001 {
				t.Errorf("mean Dice %.4f by the corpus' words and %.4f with the change, want %.3f and %.3f", theirs.value(), ours.value(), c.theirs, c.ours)
			}
		})
	}
}

// mean is the mean Dice of the pairs whose words differ.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(d float64) {
	if d < 1 {
		m.sum += d
		m.n++
	}
}

func (m *mean) value() float64 { return m.sum / float64(m.n) }

var (
	hidden = regexp.MustCompile(`(?is)<!--.*?-->|<script.*?</script>|<style.*?</style>|<noscript.*?</noscript>`)
	title  = regexp.MustCompile(`(?is)<title.*?</title>`)
	tag    = regexp.MustCompile(`(?s)<[^>]*>`)
	runs   = regexp.MustCompile(`[\pL\pN_]+`)
	// scriptRuns ends a run where the script changes as well.
	scriptRuns = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}ー]+|[\p{Latin}\pN_]+|[\pL\pN_]`)
	cjk        = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}]`)
)

// plainWords are the words of a page by the definition of the corpus: what is
// left without tags, in lower case, in runs of word characters; runs with kana or
// CJK are cut in pairs.
func plainWords(page string, run *regexp.Regexp) dice.WordSet {
	page = unescape.UnescapeString(tag.ReplaceAllString(hidden.ReplaceAllString(page, " "), " "))
	var b dice.Builder
	for _, w := range run.FindAllString(strings.ToLower(page), -1) {
		r := []rune(w)
		if !cjk.MatchString(w) || len(r) < 2 {
			b.Add([]byte(w))
			continue
		}
		for i := range len(r) - 1 {
			b.Add([]byte(string(r[i : i+2])))
		}
	}
	return b.Set()
}

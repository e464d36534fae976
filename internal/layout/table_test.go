package layout

const (
	module      = "github.com/strandlinehq/strandline"
	testHelpers = "test helpers" // row of what only tests may import
)

// row is a group of packages that may import the same groups.
type row struct {
	name     string
	packages []string // below the module; dir/... stands for all below dir
	imports  []string // names of rows
}

// rows is the order of the folders, the same as in ARCHITECTURE.md. Not every
// package that is named need exist yet.
func rows() []row {
	return []row{
		{"migrations", []string{"migrations"}, nil},
		{"configs", []string{"configs"}, nil},
		// Plain functions on plain values, and what has no place in the flow.
		{"leaves", []string{
			"crawler/adaptive", "crawler/burst", "crawler/canonical", "crawler/clock", "crawler/extract", "crawler/feed", "crawler/fetch", "crawler/gate",
			"crawler/robotcache", "crawler/robots", "crawler/schedule", "crawler/simweb", "crawler/sitemap", "crawler/source",
			"crawler/warc", "crawler/warc/cdxj",
			"monitor/category", "monitor/classes", "monitor/curve", "monitor/dice", "monitor/dom", "monitor/ignore", "monitor/maintext", "monitor/mask", "monitor/neardup", "monitor/notice", "monitor/novelty", "monitor/pagedate", "monitor/query", "monitor/sample", "monitor/snippet", "monitor/suggest", "monitor/terms",
			"monitor/novelty/birth", "monitor/novelty/eval", "monitor/novelty/linkfile", "monitor/novelty/window",
			"monitor/text", "monitor/text/diff",
			"summarize/boilerplate", "summarize/choose", "summarize/cluster", "summarize/feature", "summarize/figures", "summarize/novel", "summarize/passage",
			"summarize/popular", "summarize/repeat", "summarize/searxng", "summarize/trend",
			"store/body", "store/localpg", "store/thin",
		}, []string{"leaves"}},
		{"store", []string{"store"}, []string{"migrations", "leaves"}},
		{"crawler", []string{
			"crawler", "crawler/archive", "crawler/daemon", "crawler/frontier", "crawler/intake", "crawler/recrawl", "crawler/snapshot",
		}, []string{"crawler", "store", "leaves"}},
		{"monitor", []string{"monitor", "monitor/copies", "monitor/series"}, []string{"monitor", "store", "leaves"}},
		{"summarize", []string{"summarize"}, []string{"store", "monitor", "leaves"}},
		{"cmd", []string{"cmd/..."}, []string{"cmd", "configs", "crawler", "monitor", "summarize", "store", "migrations", "leaves"}},
		{testHelpers, []string{"store/pgtest", "internal/layout", "internal/need", "internal/testdb", "internal/topicweb"}, []string{testHelpers, "leaves", "migrations", "store"}},
	}
}

// rooms says where a library may be imported by what ships. Libraries that are
// not named may be used anywhere.
func rooms() map[string][]string {
	return map[string][]string{
		"github.com/gocolly/colly":        {"crawler/fetch"},
		"github.com/PuerkitoBio/goquery":  {"crawler/fetch"}, // comes with colly; pages are read by crawler/extract
		"github.com/robfig/cron":          {"configs", "crawler"},
		"github.com/jackc/pgx":            {"store", "store/localpg", "store/pgtest", "cmd/..."},
		"github.com/parquet-go":           {"cmd/internal/tablefile"},
		"github.com/pressly/goose":        {"store"},
		"github.com/nlnwa/whatwg-url":     {"crawler/canonical"},
		"github.com/saintfish/chardet":    {"crawler/extract"},
		"github.com/andybalholm/brotli":   {"crawler/warc", "crawler/fetch"},
		"github.com/abadojack/whatlanggo": {"monitor/text"},
		"github.com/blevesearch":          {"monitor/text"},
		"github.com/alecthomas/kong":      {"cmd/..."},
		"github.com/schollz/progressbar":  {"cmd/..."},
		"github.com/nicholas-fedor":       {"cmd/internal/notify"},
		"go.yaml.in/yaml":                 {"configs", "cmd/internal/foreign"},
	}
}

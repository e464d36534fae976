// Command strandline watches how the web changes.
//
//	strandline run                 the daemon
//	strandline demo                the daemon against a simulated web
//	strandline doctor              what keeps the program from its work
//	strandline status, reload      what the daemon does; take the configuration anew
//	strandline fetch URL...        fetch pages now
//	strandline import FILE...      take page histories out of WARC files, watches out of others
//	strandline export --out FILE   write them back, or the rows of a view
//	strandline history URL         the versions of a page
//	strandline diff URL [A] [B]    what changed between two versions
//	strandline show URL [VERSION]  the stored bytes
//	strandline search WORDS        pages and versions with words; which are new
//	strandline sql [-c QUERY]      ask the database, read-only
//	strandline analyze FILE...     all measures of WARC files, without a database
//	strandline measure NAME        one formula on one JSON document
//	strandline sample LOG          draw pages to watch from a log of visits
//	strandline notify test TARGET  send a test message
//	strandline report NAME [URL]   tables and figures of the papers
//	strandline topic NAME          what a period brought about a topic
//	strandline novelty SERIES      compute again which pages of its snapshots are new
//	strandline check [FILE]        validate a configuration
//	strandline db STEP             schema steps
//	strandline bench NAME          figures of this machine, on generated data
//
// Without a database URL the program runs a private PostgreSQL in its state
// directory (store/localpg). The configuration is one YAML file (package
// configs); flags win over it. Exit status 0 means done, 1 failed, 2 wrong usage
// or configuration.
//
// Each command is one file of this package: its flags are the fields of a
// struct, its work the method Run.
package main

// cli is the command line.
type cli struct {
	globals

	Run     runCmd     `cmd:"" help:"The daemon: schedules, fetches, measures."`
	Demo    demoCmd    `cmd:"" help:"The daemon in a temporary directory against a simulated web, in virtual time."`
	Status  statusCmd  `cmd:"" help:"Say what the daemon does now."`
	Watch   watchCmd   `cmd:"" help:"Look at one watch."`
	Doctor  doctorCmd  `cmd:"" help:"Check database, schema, clock, DNS, disk, permissions and the first page, and say what to do."`
	Reload  reloadCmd  `cmd:"" help:"Ask the running daemon to take the configuration anew, all or nothing."`
	Crawl   crawlCmd   `cmd:"" help:"Take one snapshot of a configured series now."`
	Fetch   fetchCmd   `cmd:"" help:"Fetch pages now, under the usual politeness, and store them."`
	Import  importCmd  `cmd:"" help:"Import WARC files: responses and revisits as versions with their own times. Or print what other programs watch as watches."`
	Export  exportCmd  `cmd:"" help:"Export captures as WARC or CDXJ, or a view as CSV, NDJSON or Parquet."`
	History historyCmd `cmd:"" help:"Print the versions of a page."`
	Diff    diffCmd    `cmd:"" help:"Print the words, sentences or links that differ between two versions."`
	Show    showCmd    `cmd:"" help:"Print the stored bytes of a version."`
	Search  searchCmd  `cmd:"" help:"Find pages by the words of their versions; in a series, those that are new with each snapshot."`
	SQL     sqlCmd     `cmd:"" name:"sql" help:"Query the views of api_v1, read-only."`
	Analyze analyzeCmd `cmd:"" help:"Measure the pages in WARC files without a database: one JSON object a page."`
	Measure measureCmd `cmd:"" help:"Apply one formula to one JSON document from stdin."`
	Sample  sampleCmd  `cmd:"" help:"Draw the pages to watch from a log of visits, and print them as a watch."`
	Notify  notifyCmd  `cmd:"" help:"Try out where messages go."`
	Report  reportCmd  `cmd:"" help:"Print a table of the papers, or draw a figure, from the database."`
	Topic   topicCmd   `cmd:"" help:"Print the last summary of a topic, or compute it; topic list lists all."`
	Novelty noveltyCmd `cmd:"" help:"Compute again which pages of a series' snapshots are new, or those of pages and links in files."`
	Check   checkCmd   `cmd:"" help:"Validate the configuration and print the plan."`
	DB      dbCmd      `cmd:"" name:"db" help:"Schema steps and rebuilds."`
	Bench   benchCmd   `cmd:"" help:"Measure the program on this machine, on generated data; figures as JSON."`
	Version versionCmd `cmd:"" help:"Print the version of the program."`

	Generate      generateCmd      `cmd:"" hidden:"" help:"Write a man page or the completions of a shell, for packages."`
	BenchWeb      benchWebCmd      `cmd:"" hidden:"" help:"Serve the pages of a benchmark."`
	SampleArchive sampleArchiveCmd `cmd:"" hidden:"" help:"Write a WARC file of changing pages of the simulated web, for trying out the program."`
}

package main

// benchCmd measures the program on this machine, on generated data.
type benchCmd struct {
	Recrawl  benchRecrawlCmd  `cmd:"" help:"Recrawl changed and unchanged pages: pages a second, and processor time by process."`
	Crawl    benchCrawlCmd    `cmd:"" help:"Take a snapshot of a simulated web, and fill a frontier of a million URLs: pages a second, processor time, memory."`
	Restart  benchRestartCmd  `cmd:"" help:"Watch a million pages, end the daemon, and start it anew: seconds until it fetches, and memory."`
	Schedule benchScheduleCmd `cmd:"" help:"Keep hourly schedules over weeks of virtual time, and count what was fetched too early, too late or never."`
	Analysis benchAnalysisCmd `cmd:"" help:"Measure how a page with a long history changes: processor time of each measure a version, and bytes stored, beside computing all anew."`
	Store    benchStoreCmd    `cmd:"" help:"Store and read back the versions of a page that changes every hour: bytes, processor time and versions a second, beside gzip."`
	Truth    benchTruthCmd    `cmd:"" help:"Hold the measures of how pages change against a simulated web that knows its changes: what is measured, the truth, and by how much they differ."`
	Novelty  benchNoveltyCmd  `cmd:"" help:"Build the links of a generated web and compute the novelty of its pages: seconds and memory, beside a plain program."`
	Topics   benchTopicsCmd   `cmd:"" help:"Sum up a period of a topic of 200 pages with 10,000 new sentences, and let its collection grow over a million pages with links: seconds on one processor, memory."`
	Web      benchPagesCmd    `cmd:"" help:"Ask for every kind of web page with many pages in the database: median and 99th percentile, and bytes."`
	SQL      benchSQLCmd      `cmd:"" name:"sql" help:"Ask the worked questions of analysts of a week of 10,000 watches: seconds, processor time, rows."`
	Replay   benchReplayCmd   `cmd:"" help:"Watch recorded pages behind a proxy that shows them as they were: which contents were caught, and whether each was visible when it was fetched."`

	Snapshots benchSnapshotsCmd `cmd:"" help:"Take snapshots of a simulated web that knows when its pages appeared: precision and recall of novelty, intervals of birth, and what the order by novelty finds."`
	Retention benchRetentionCmd `cmd:"" help:"Thin a million versions beside writers: how long they are stopped, what is freed, and whether all that is left reads back."`
}

package simweb

// topicsOfPublic are the topics of votes and money.
func topicsOfPublic() []topicWords {
	return []topicWords{{
		name: "election", category: "Government",
		lists: map[string]string{
			"noun":   "ballot|by-election|campaign office|candidate list|city council|coalition|counting hall|county assembly|debate|electoral roll|mayor's office|opinion poll|party conference|polling station|postal vote|recount|town hall|voting machine|advisory board|budget vote|citizens' assembly|complaints office|electoral court|exit poll|guest list|party headquarters|petition|referendum|second ballot|youth parliament",
			"plural": "ballot boxes|campaigners|candidates|constituencies|council seats|delegates|donations|election posters|first-time voters|leaflets|observers|party members|polling stations|postal votes|speeches|undecided voters|amendments|abstentions|accounts|advertisements|alliances|caucuses|debates|petitions|pledges|proxies|rallies|rivals|slogans|volunteers",
			"adj":    "close|contested|disputed|early|independent|late|local|non-partisan|outgoing|popular|quiet|second|surprising|two-party|unopposed|well-prepared|anonymous|binding|costly|deadlocked|heated|invalid|lawful|marginal|orderly|provisional|secret|unanimous",
			"verb":   "call a recount|cap the donations|count the postal votes first|cut the number of seats|debate on television|form a coalition|hold the vote in {month}|lower the voting age|open {n:3-60} more polling stations|print {n:20-900},000 ballots|publish the accounts|redraw the constituencies|withdraw the candidate|appoint new observers|ban paid advertising|check every signature|move the count to the sports hall|seal the ballot boxes|swear in the council|visit every household",
			"role":   "returning officer|candidate|campaign manager|council leader|pollster|mayor|party treasurer|constitutional lawyer",
			"org":    "the election commission|the Civic Party|the Harbour List|the Green Union|the county assembly|the Reform Alliance|the town council",
			"effect": "the result will be known before midnight|turnout rises in the suburbs|up to {n:3-19} seats change hands|the mayor keeps a majority of one|queues form at the school|undecided voters stay at home|posters must be down by {weekday}",
		},
		says: []string{
			"In a poll by {org} {n:21-55} per cent [would vote for|prefer|trust] {person}, {n:2-9} points [more|fewer] than in {month}.",
			"Turnout in {place} was {n:31-84} per cent, [the highest since {y:1969-2015}|the lowest of the county|{person} {said}].",
			"{Person} [spoke for|answered questions for|was on stage for] {n:15-140} minutes [in {place}|at the {noun}|before {n:40-2400/10} people].",
			"The {adj} {noun} of {place} has {n:11-90} members, {n:2-10} of them [new|without a party|under thirty].",
		},
		titles: []string{"{Place} before the vote", "{Noun}: who stands in {place}", "{Org} wants to {verb}", "{Person} and the {adj} {noun}", "How {place} counts its {plural}"},
		event: eventWords{
			titles:  []string{"{who} leads in {where} election", "Vote in {where}: {who} ahead", "Close count in {where}"},
			numbers: [3]numberRange{{21, 40, 1, 1.25}, {9000, 40000, 100, 1.4}, {20, 45, 1, 1.3}},
			facts: []factWords{
				{0, []string{"{who} is [ahead|in the lead] in the vote for mayor of {where}.", "In the vote for mayor of {where}, {who} [leads|is in front].", "{where} [is choosing|elects] a new mayor, and {who} leads."}},
				{'a', []string{"{who} has {a} per cent of the votes counted.", "The count [gives|shows] {who} at {a} per cent.", "So far {a} per cent [voted for|chose] {who}."}},
				{'b', []string{"Some {b} ballots [have been|are] counted.", "The officials have [counted|gone through] {b} ballots.", "The tally [covers|includes] {b} ballots so far."}},
				{'c', []string{"Turnout [stands at|was put at] {c} per cent.", "Some {c} per cent of the voters [took part|went to the polls].", "The commission [gives|puts] turnout at {c} per cent."}},
				{0, []string{"The [rival|other candidate], backed by {firm}, has asked for a recount.", "A recount was [demanded|asked for] by the rival, whom {firm} supports.", "{firm} [supports|pays for] the rival, who wants a recount."}},
				{0, []string{"Voting machines failed at two schools in {where}.", "At two schools of {where} the voting machines [stopped|broke down].", "Two schools in {where} had to [return to|use] paper when machines failed."}},
			},
		},
	}, {
		name: "prices", category: "Economy",
		lists: map[string]string{
			"noun":   "bakery|butter price|cattle market|central bank|corner shop|electricity tariff|fish auction|food basket|fuel price|heating bill|housing market|interest rate|milk price|price index|rent cap|savings account|supermarket|wage round|wheat harvest|collective agreement|corn exchange|credit union|delivery service|department store|discount chain|exchange rate|household survey|loan|market hall|mill|pawnshop|pension fund|petrol station|sugar quota|tea auction|wholesale market",
			"plural": "apples|bakers|coffee beans|consumers|discounts|eggs|farmers|grocers|households|lenders|loaves|mortgages|onions|pensioners|potatoes|retailers|tenants|wages|wholesalers|bills|butchers|carrots|cheeses|credits|fees|flour sacks|importers|invoices|lemons|millers|oranges|pears|receipts|rents|savings|shoppers|traders|vouchers",
			"adj":    "cheap|dear|fixed|imported|inflated|monthly|organic|overpriced|regional|rising|seasonal|stable|subsidised|unchanged|volatile|wholesale|affordable|average|costly|dried|duty-free|frozen|half-price|home-grown|perishable|pre-packed|scarce|second-rate|tax-free|unsold",
			"verb":   "cap the rents|cut the sales tax|freeze the tariff until {month}|hold the interest rate|import more wheat|keep bread under £{n:2-4}|lower the milk price|pay farmers more|print prices per kilogram|raise wages by {f:1-7} per cent|release grain from the stores|stop the discount war|tax the profits|audit the supermarkets|ban hidden fees|buy surplus milk|index the pensions|lend to small shops|open a soup kitchen|post prices every {weekday}|subsidise heating|weigh the loaves",
			"role":   "chief economist|baker|central banker|consumer advocate|grain trader|market researcher|shop owner|tax adviser",
			"org":    "the central bank|the consumer council|the farmers' union|the grocers' guild|the office for statistics|the tenants' association|the Orford Exchange",
			"effect": "a loaf costs {n:4-40} pence more|savers gain at last|farmers sell below cost|tenants move to {place}|shoppers buy smaller packs|lorries stand empty|the basket became {f:1-9} per cent dearer",
		},
		says: []string{
			"A kilogram of {plural} [cost|sold for|fetched] £{n:1-9}.{n:10-99} in {place}, [{n:2-30} per cent more than in {month}|as in {month}|a record].",
			"Prices in {place} [rose|fell] by {f:0-9} per cent [in {month}|within a year|since {month}], {person} {said}.",
			"[Of every £100|Of an average wage] households in {place} spend {n:8-45} per cent on [food|rent|heating|fuel].",
			"At the [corn exchange|cattle market|fish auction|covered market] {n:20-900} tonnes of {plural} changed hands [on {weekday}|before noon|in {n:2-8} hours].",
		},
		titles: []string{"{Plural} dearer in {place}", "The {noun} and what it means", "{Org} wants to {verb}", "Shopping list: {plural} and {plural}", "Why {adj} {plural} are no bargain"},
		event: eventWords{
			titles:  []string{"Bread prices jump in {where}", "{firm} raises prices, {where} protests", "Grain shortage hits {where}"},
			numbers: [3]numberRange{{8, 20, 1, 1.5}, {300, 2000, 50, 1.7}, {20, 70, 5, 1.3}},
			facts: []factWords{
				{0, []string{"A shortage of grain has [driven|pushed] up the price of bread in {where}.", "Bread is [scarce|dear] in {where} since the grain ran short.", "In {where} the price of bread [jumped|soared] for want of grain."}},
				{'a', []string{"A loaf costs {a} per cent more than a week ago.", "Bakers have [raised|lifted] the price by {a} per cent.", "The price [rose|has gone up] by {a} per cent."}},
				{'b', []string{"Some {b} people [marched|protested] in front of the town hall.", "A crowd of {b} [gathered|met] at the town hall of {where}.", "Police [counted|spoke of] {b} protesters."}},
				{'c', []string{"The state will [release|sell] {c} thousand tonnes of grain.", "Some {c} thousand tonnes [come|will come] from the state's stores.", "From its reserve the government [gives|adds] {c} thousand tonnes."}},
				{0, []string{"{who}, who speaks for the bakers, [called|named] the rise unavoidable.", "The rise could not be avoided, [said {who} for the bakers|bakers' speaker {who} said].", "Bakers' speaker {who} [sees|saw] no way round the rise."}},
				{0, []string{"{firm}, the largest mill, [keeps|has kept] silent.", "The largest mill, {firm}, [would not comment|gave no answer].", "Nothing was heard from {firm}, the largest mill of {where}."}},
			},
		},
	}}
}

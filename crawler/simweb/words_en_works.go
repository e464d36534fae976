package simweb

// topicsOfWorks are the topics of building and making.
func topicsOfWorks() []topicWords {
	return []topicWords{{
		name: "harbour", category: "Business",
		lists: map[string]string{
			"noun":   "outer breakwater|container terminal|dry dock|ferry ramp|fish quay|grain silo|harbour basin|lock gate|mooring jetty|north pier|pilot station|quay wall|sea lock|slipway|swing bridge|tidal basin|customs shed|coal wharf|marina|salvage yard|boathouse|weighbridge|lifeboat station",
			"plural": "bollards|berths|cranes|dredgers|fenders|ferries|freighters|lighters|moorings|piles|pilot boats|pontoons|tankers|trawlers|tugs|warehouses|yachts|barges|cables|buoys|hawsers",
			"adj":    "badly silted|busy|century-old|concrete|deep-water|disused|floating|new|privately owned|reinforced|rusting|sheltered|temporary|tidal|wooden",
			"verb":   "deepen the northern channel|dredge the basin|drive {n:40-900} steel piles|extend the breakwater by {n:20-400} metres|lengthen the quay|move the fish market|raise the sea wall|renew the fenders|repaint the lighthouse|replace the lock gates|shut the old dock|strengthen the pier|widen the entrance",
			"role":   "harbour master|chief pilot|crane driver|dock engineer|ferry captain|head of the fishing co-operative|port director|union secretary",
			"org":    "the harbour board|the port authority|the dockers' union|the pilots' association|the Severin Line|the fishing co-operative|the coast guard",
			"effect": "larger ships can enter at low water|lorries no longer queue in the town|the current has become weaker|the fishing fleet moves to the outer basin|tugs are needed twice a day|silt gathers behind the pier|the ferry keeps its timetable",
		},
		says: []string{
			"[Divers|Surveyors|Two engineers] found {n:2-60} cracks in the {noun} [below the waterline|at low tide|during a routine check].",
			"The draught at the {noun} is {f:4-15} metres at [low|high] water, enough for {plural} of {n:4-90},000 tonnes.",
			"Some {n:3-40} {plural} called at {place} in {month}, [carrying timber|most of them with grain|loaded with fertiliser|laden with salt and steel].",
			"Dredging removed {n:2-90}0,000 cubic metres of [mud|sand|gravel] from the {noun}, {person} {said}.",
		},
		titles: []string{"{Noun} at {place} to be rebuilt", "{Place}: {n:3-40} {plural} for the {noun}", "Who pays for the {adj} {noun}", "{Org} and the {noun}", "A day among the {plural} of {place}"},
		event: eventWords{
			titles:  []string{"Crane collapse closes {where} quay", "Quay wall gives way at {where}", "{where} port shut after crane accident"},
			numbers: [3]numberRange{{3, 14, 1, 1.7}, {20, 80, 5, 1.5}, {4, 20, 1, 1.6}},
			facts: []factWords{
				{0, []string{"A loading crane [collapsed|toppled over] at the container quay of {where}.", "At {where} [one of the gantry cranes fell|a gantry crane came down] on the container quay.", "The container quay of {where} [was closed|had to be shut] after a crane [fell|gave way]."}},
				{'a', []string{"Some {a} dock workers were [hurt|injured], [the port said|according to the port].", "[Doctors|Hospitals] [are treating|treated] {a} injured dock workers.", "The number of injured dockers [stands at|is put at] {a}."}},
				{'b', []string{"Repairs will cost [about|around] £{b} million, [an engineer estimated|{firm} estimates].", "{firm} [puts|estimates] the damage at £{b} million.", "The bill for the quay [may reach|is put at] £{b} million."}},
				{'c', []string{"Some {c} ships are [waiting|lying at anchor] outside the port of {where}.", "[Outside|Off] {where} {c} freighters wait for a berth.", "The queue of waiting ships [has reached|is now] {c}."}},
				{0, []string{"{who}, who runs the port, [blamed|pointed to] a worn bolt.", "A worn bolt was the cause, [said port director {who}|according to {who}].", "Port director {who} [told reporters|explained] that a bolt had been worn."}},
				{0, []string{"The crane had been built and [serviced|maintained] by {firm}.", "{firm}, the maker of the crane, [has sent|is sending] its own inspectors.", "Inspectors of the maker, {firm}, [arrived|are expected] at {where}."}},
			},
		},
	}, {
		name: "chips", category: "Technology",
		lists: map[string]string{
			"noun":   "chip factory|clean room|cooling plant|design office|etching line|fabrication hall|gas plant|lithography machine|memory plant|packaging line|pilot line|polishing shop|research campus|test laboratory|wafer line|water works|mask shop|crystal furnace|server room|etching bath|training centre|visitor gallery|loading dock|solar roof|helium store",
			"plural": "chip designers|controllers|engineers|exposure tools|memory modules|patents|processors|sensors|suppliers|technicians|test benches|transistors|vacuum pumps|wafers|amplifiers|antennas|batteries|circuit boards|diodes|filters|interns|lasers|lenses|robots|substrates",
			"adj":    "automated|dust-free|energy-hungry|fully booked|highly subsidised|low-power|modern|oversized|secretive|state-funded|three-storey|unfinished|vibration-free|world-class|custom-made|experimental|flawless|heat-resistant|miniature|obsolete|scarce|second-hand|silent",
			"verb":   "build a second clean room|cut its water use by {n:5-40} per cent|double the output of sensors|etch finer circuits|hire {n:100-2400/50} technicians|license the design|order {n:2-30} exposure tools|recycle the cooling water|ship the first wafers|stop the old memory line|train apprentices|win a car maker as customer|lower the defect rate|move the gas plant|publish the emissions|repair the vacuum pumps|share the clean room with the university|test every module twice",
			"role":   "plant manager|chief designer|head of research|process engineer|site planner|supply chain director|union representative|minister for industry|apprentice|crystal grower|export lawyer|night shift leader|optics professor|patent clerk",
			"org":    "Altis Semiconductor|Corvane|the ministry of industry|the engineers' guild|the Novara Institute|Quillon Devices|the regional development agency",
			"effect": "car makers get their controllers sooner|each wafer needs {n:2-9},000 litres of water|prices of memory fall|rents near the plant have doubled|rival plants abroad run at half speed|the grid needs a new line|the suburb needs another school|spare parts arrive from overseas|yields rise above {n:61-97} per cent",
		},
		says: []string{
			"A wafer passes through {n:300-1400/10} steps in the {noun} and leaves it after {n:6-19} weeks.",
			"{Org} [makes|tests|designs] {n:2-98},000 {plural} a month [for cars|for hearing aids|for power stations|for mobile telephones].",
			"Structures of {n:2-90} nanometres are drawn in {place}, {person} {said}.",
			"[One speck of dust|A tremor|A power dip of {n:10-90} milliseconds] can spoil {n:20-600} wafers in the {noun}.",
		},
		titles: []string{"{Noun} in {place}: what is made there", "{Org} wants to {verb}", "Why {plural} are scarce", "Inside the {adj} {noun}", "Some {n:100-2400/50} jobs at the {noun} in {place}"},
		event: eventWords{
			titles:  []string{"{firm} to build chip factory at {where}", "Chip maker {firm} chooses {where}", "{where} wins {firm} chip plant"},
			numbers: [3]numberRange{{800, 3000, 100, 1.4}, {2, 12, 1, 1.5}, {200, 900, 50, 1.4}},
			facts: []factWords{
				{0, []string{"{firm} will build a chip factory at {where}.", "The chip maker {firm} has [chosen|picked] {where} for its new plant.", "{where} [was chosen|won the contest] for the new chip plant of {firm}."}},
				{'a', []string{"The plant [will employ|is to give work to] {a} people.", "{firm} [speaks of|promises] {a} jobs.", "[Some|About] {a} jobs are [planned|to be created] at {where}."}},
				{'b', []string{"The [investment|cost] [comes to|is put at] £{b} billion.", "{firm} is [spending|investing] £{b} billion.", "Some £{b} billion will [go into|be spent on] the site, {firm} says."}},
				{'c', []string{"The state [adds|contributes] £{c} million.", "[Public money|Subsidies] of £{c} million [support|help] the project.", "Taxpayers [pay|contribute] £{c} million, the ministry confirmed."}},
				{0, []string{"{who}, head of {firm}, [praised|thanked] the planners of {where}.", "The planners were quick, [said {who}, who leads {firm}|{who} of {firm} said].", "{who}, who leads {firm}, signed the contract in {where}."}},
				{0, []string{"Farmers near {where} [fear for|worry about] their wells.", "There is [concern|unease] about ground water among the farmers of {where}.", "The plant's thirst for water [alarms|worries] farmers around {where}."}},
			},
		},
	}, {
		name: "railway", category: "Travel",
		lists: map[string]string{
			"noun":   "branch line|coastal line|footbridge|freight yard|level crossing|main line|night train|overhead line|railway bridge|signal box|sleeper service|station hall|ticket office|tram depot|tunnel|viaduct|waiting room|buffet car|engine shed|goods station|marshalling yard|turntable|water tower",
			"plural": "carriages|commuters|conductors|engine drivers|freight trains|locomotives|passengers|platforms|points|season tickets|signals|sleepers|stations|timetables|trams|wagons|brakes|cuttings|embankments|rails|shunters|ticket machines",
			"adj":    "abandoned|crowded|delayed|diesel-hauled|double-tracked|electrified|hourly|listed|narrow|overnight|punctual|reopened|single-track|steep|unstaffed",
			"verb":   "add an hourly train|electrify the line|lay {n:2-80} kilometres of track|lengthen the platforms|lower the fares|open a halt at {place}|order {n:4-60} carriages|reopen the branch|replace the signals|restore the viaduct|run trains at night|sell tickets on board|straighten the curve",
			"role":   "station master|engine driver|head of timetabling|track inspector|conductor|passenger spokesman|signal engineer|transport minister|model railway builder|retired fireman",
			"org":    "the railway company|the passengers' council|the track authority|the drivers' union|the Northern Line Trust|the county transport office",
			"effect": "commuters save {n:4-45} minutes a day|freight moves off the roads|the last train leaves before {n:20-23}:00|trains may run at {n:80-220/10} kilometres an hour|more people leave their cars at home|connections at {place} are missed|the line closes on Sundays|cyclists find room in every carriage|rust spreads under the paint",
		},
		says: []string{
			"Some {n:51-99} per cent of the trains through {place} were on time in {month}, {person} {said}.",
			"The [{n:5-9}|{n:10-12}]:{n:10-59} from {place} to {place} carries {n:80-900/10} passengers [on weekdays|in the season|on a good day].",
			"Between {place} and {place} the line [climbs {n:30-400} metres|crosses {n:3-40} bridges|passes {n:2-12} tunnels|has {n:3-30} level crossings].",
			"A season ticket from {place} costs £{n:400-6200/10}, [{n:2-15} per cent more than before|less than the parking fees|which {org} calls fair].",
		},
		titles: []string{"{Noun} at {place} may reopen", "Waiting at {place}: the {adj} {noun}", "{Org} wants to {verb}", "New {plural} between {place} and {place}", "The {noun} in {n:12-60} pictures"},
		event: eventWords{
			titles:  []string{"Landslip cuts railway at {where}", "Trains stopped at {where} after landslip", "Railway closed at {where}"},
			numbers: [3]numberRange{{5, 20, 1, 1.5}, {8000, 30000, 500, 1.3}, {100, 600, 50, 1.5}},
			facts: []factWords{
				{0, []string{"A landslip has [buried|covered] both tracks near {where}.", "[Earth and rock|A slope] slid onto the railway near {where}.", "Near {where} the railway [is blocked|was cut] by a landslip."}},
				{'a', []string{"The line will stay closed for {a} days, [the company said|it was announced].", "Trains [will not run|are cancelled] for {a} days.", "Repairs [are expected to take|will take] {a} days."}},
				{'b', []string{"Some {b} passengers a day must [take buses|change to buses].", "Buses [carry|are taking] {b} passengers a day.", "The closure [affects|hits] {b} travellers a day."}},
				{'c', []string{"Some {c} metres of track have to be [relaid|renewed].", "The slide [destroyed|tore away] {c} metres of track.", "[Engineers|Crews] must relay {c} metres of track at {where}."}},
				{0, []string{"No one was hurt, [said {who} of the track authority|according to track inspector {who}].", "{who}, a track inspector, [confirmed|said] that nobody was hurt.", "Track inspector {who} [saw the slope move and stopped|halted] the last train in time."}},
				{0, []string{"{firm} [is clearing|has begun to clear] the slope.", "The slope is being cleared by {firm}.", "Diggers of {firm} [reached|are at work at] {where}."}},
			},
		},
	}}
}

package simweb

// topicsOfNature are the topics of water, animals and health.
func topicsOfNature() []topicWords {
	return []topicWords{{
		name: "vaccination", category: "Health",
		lists: map[string]string{
			"noun":   "booster campaign|child clinic|cold chain|district hospital|flu season|health office|immunisation register|measles outbreak|mobile clinic|school nurse service|second dose|telephone hotline|travel clinic|vaccination centre|vaccine store|waiting list|blood bank|family practice|infection ward|mothers' advice centre|quarantine rule|research trial",
			"plural": "ampoules|appointments|boosters|children|clinics|doctors|doses|general practitioners|infants|nurses|patients|pensioners|pharmacies|side effects|syringes|vials|allergies|certificates|infections|midwives|needles|plasters|swabs|tests|volunteers",
			"adj":    "annual|booked-out|combined|free|hesitant|mobile|nasal|optional|overworked|recommended|refrigerated|routine|seasonal|under-staffed|walk-in|well-tolerated",
			"verb":   "call up everyone over {n:55-80}|deliver {n:2-90},000 doses|extend the opening hours|immunise the schools first|keep the vials at {n:2-8} degrees|open a clinic at {place}|print the leaflet in {n:4-22} languages|send reminders by post|staff the hotline at weekends|stop the autumn shortage|train {n:12-300} nurses|visit care homes",
			"role":   "chief nurse|epidemiologist|family doctor|health officer|paediatrician|pharmacist|school doctor|virologist",
			"org":    "the health office|the district hospital|the medical council|the ministry of health|the pharmacists' chamber|the parents' association|the Tessaly Foundation",
			"effect": "fewer children fall ill|the hospital has free beds again|side effects were mild|more pensioners come without an appointment|measles have not been seen since {month}|immunity lasts about {n:6-30} months|the hotline takes {n:90-900/10} calls a day",
		},
		says: []string{
			"Some {n:41-97} per cent of [the pupils|people over {n:55-80}|the nursing staff] in {place} [have had|lack|were offered] the {adj} dose.",
			"[A sore arm|Mild fever|Tiredness] was reported by {n:2-30} of {n:100-900/50} {plural}, {person} {said}.",
			"The vaccine is kept at {n:2-8} degrees and must be used within {n:5-72} hours [of opening|of delivery].",
			"[Without an appointment|On {weekday}s|With a card of the {noun}] one waits {n:5-90} minutes in {place}.",
		},
		titles: []string{"{Noun} in {place}: what to know", "{Place} starts {adj} doses", "{Org} wants to {verb}", "Questions about {plural}, answered", "How the {noun} works"},
		event: eventWords{
			titles:  []string{"Measles outbreak in {where}", "{where} opens emergency vaccination", "Measles: schools in {where} affected"},
			numbers: [3]numberRange{{12, 60, 1, 1.9}, {2000, 9000, 100, 1.8}, {2, 9, 1, 1.5}},
			facts: []factWords{
				{0, []string{"Measles have [broken out|spread] in {where}.", "The health office [confirmed|reported] an outbreak of measles in {where}.", "In {where} [doctors have found|there are] cases of measles."}},
				{'a', []string{"Some {a} people [have fallen ill|are ill] so far.", "The office [counts|has counted] {a} cases.", "The number of cases [has reached|stands at] {a}."}},
				{'b', []string{"Some {b} doses were [given|handed out] at the emergency clinic.", "[Nurses|Doctors] have [given|administered] {b} doses.", "So far {b} residents [were vaccinated|have had the vaccine]."}},
				{'c', []string{"Some {c} schools [stay closed|are shut] until further notice.", "[Classes are cancelled|There are no lessons] at {c} schools.", "The outbreak has [closed|shut] {c} schools in {where}."}},
				{0, []string{"{who}, the chief medical officer, [asked|urged] parents to check the vaccination cards.", "Parents should check the cards, [said chief medical officer {who}|{who} advised].", "Check your vaccination card, [advises|says] medical officer {who}."}},
				{0, []string{"The vaccine [comes from|is supplied by] {firm}.", "{firm} [delivers|is sending] the vaccine.", "A van of {firm} brought the vaccine to {where}."}},
			},
		},
	}, {
		name: "flood", category: "Environment",
		lists: map[string]string{
			"noun":   "flood barrier|flood gauge|flood plain|drainage ditch|dyke|emergency shelter|lower mill|meadow bank|overflow basin|pumping station|reservoir|river bank|sandbag depot|sluice|storm drain|warning siren|weir|canal|cellar pump|crisis room|footbridge|headrace|levee|rain radar|retention pond|spillway|water gate",
			"plural": "basements|boats|bridges|cellars|culverts|ditches|dykes|gauges|households|meadows|pumps|rescuers|sandbags|sluices|volunteers|wells|barriers|campers|divers|dredgings|generators|gullies|hoses|orchards|roofs|tents|trenches",
			"adj":    "breached|drained|early|flooded|half-finished|heavy|high|muddy|overgrown|raised|rain-soaked|saturated|slow|swollen|underrated|blocked|brackish|damp|evacuated|fast-rising|leaking|low-lying|narrow|sealed|silted",
			"verb":   "clear the culverts|close the lower bridge|deepen the overflow basin|dry out the cellars|empty the reservoir early|fill {n:2-90},000 sandbags|insure every household|move the camp site|plant trees along the bank|raise the dyke by {n:20-150} centimetres|repair the sluice|test the sirens|warn people by telephone|buy the low-lying farms|clean the gullies|drain the car park|map every cellar|pay out the relief fund|tow away the caravans",
			"role":   "dyke warden|fire chief|hydrologist|insurance adjuster|lock keeper|mayor|river engineer|volunteer leader|camp site owner|geographer|miller|pump driver|rowing coach",
			"org":    "the river board|the fire service|the insurance association|the dyke union|the weather service|the district council|the relief fund",
			"effect": "the water falls by {n:2-15} centimetres an hour|cellars stay wet for weeks|the meadow takes up the first wave|cattle were moved in time|insurers pay only half|the river finds its old bed|the bridge is open to walkers only",
		},
		says: []string{
			"The gauge at {place} [showed|read|stood at] {f:1-9} metres on {weekday}, {n:3-180} centimetres [above|below] the mean of {month}.",
			"Some {n:8-190} millimetres of rain fell on {place} [within a day|in {n:2-20} hours|over the weekend].",
			"[Pumps|Fire crews|Neighbours] emptied {n:12-900} {plural} in {place}, {person} {said}.",
			"The {noun} holds {n:2-90}0,000 cubic metres, [enough for a normal spring|too little for a wet {month}].",
		},
		titles: []string{"{Noun} at {place}: is it enough", "{Place} after the water", "{Org} plans to {verb}", "Living behind the {noun}", "Some {n:20-900} {plural} checked in {place}"},
		event: eventWords{
			titles:  []string{"River floods {where}", "Dyke breaks near {where}", "{where} evacuated as river rises"},
			numbers: [3]numberRange{{150, 900, 10, 1.8}, {4, 9, 1, 1.2}, {10, 60, 5, 1.6}},
			facts: []factWords{
				{0, []string{"The river has [broken|burst] through the dyke above {where}.", "[Above|Near] {where} the dyke [gave way|broke] and the river entered the town.", "Large parts of {where} are under water since the dyke [broke|failed]."}},
				{'a', []string{"Some {a} people had to [leave their homes|be brought to safety].", "[Fire crews|Rescuers] brought {a} residents to safety.", "The number of people driven from their homes [is|has reached] {a}."}},
				{'b', []string{"The gauge at {where} [reads|shows] {b} metres.", "The water stands at {b} metres at the {where} gauge.", "At the bridge of {where} [a level of|the river board measured] {b} metres was [recorded|reached]."}},
				{'c', []string{"Insurers [expect|reckon with] damage of £{c} million.", "The damage is [estimated|put] at £{c} million.", "Some £{c} million may be needed for repairs, [insurers say|it is said]."}},
				{0, []string{"{who}, the fire chief, [spoke of|described] the worst night in thirty years.", "It was the worst night in thirty years, [said fire chief {who}|according to {who}].", "Fire chief {who} [has not seen|remembers no] such a night in thirty years."}},
				{0, []string{"{firm} [sent|is lending] twelve heavy pumps.", "Twelve heavy pumps [came|arrived] from {firm}.", "With twelve pumps of {firm} the cellars of {where} are being emptied."}},
			},
		},
	}, {
		name: "wildlife", category: "Science",
		lists: map[string]string{
			"noun":   "beaver lodge|bird island|breeding colony|crane roost|eel ladder|field station|game reserve|heronry|hide|marsh|nature trail|otter holt|owl box|seal bank|toad tunnel|wader survey|wetland|wolf territory|bat cave|butterfly meadow|deer park|dune slack|estuary|fish pass|hedgerow|lagoon|oak wood|reed bed|salt marsh",
			"plural": "adders|avocets|badgers|bats|beavers|cormorants|cranes|dragonflies|eels|geese|hares|herons|lynxes|ospreys|otters|owls|salmon|seals|swifts|toads|wolves|buzzards|deer|falcons|foxes|gulls|hedgehogs|kites|larks|martens|newts|plovers|storks|terns|voles|woodpeckers",
			"adj":    "breeding|common|early|elusive|endangered|injured|migrating|nocturnal|protected|rare|reintroduced|ringed|shy|tagged|wintering|young",
			"verb":   "build an eel ladder|close the trail in the breeding season|count the nests by drone|fence the marsh|leave dead wood standing|mow the meadow later|plant {n:2-90},000 alders|protect the roost|release {n:4-60} young birds|remove the old weir|ring {n:40-900} chicks|track the wolves by camera|turn the street lights off",
			"role":   "ranger|bird ringer|marine biologist|gamekeeper|head of the reserve|lake keeper|veterinarian|wolf officer",
			"org":    "the nature trust|the bird observatory|the anglers' club|the forestry office|the institute of zoology|the farmers' union|the seal rescue",
			"effect": "the salmon reach their old spawning grounds|farmers lose fewer sheep|chicks leave the nest in {month}|the colony has doubled|visitors keep to the boards|the young stay near {place}|foxes keep away",
		},
		says: []string{
			"{Person} [counted|filmed|photographed|heard] {n:2-900} {plural} [near {place}|at the {noun}|before dawn|in {n:2-30} nights].",
			"[A pair|A family|The first group] of {adj} {plural} [has settled|was seen|raised {n:2-7} young] at {place}.",
			"An animal tagged in {place} was found {n:40-4800/10} kilometres away, {role} {person} {said}.",
			"{Plural} weigh {n:2-40} kilograms at most and [live|feed|sleep] [in loose groups|near water|at the edge of woods].",
		},
		titles: []string{"{Plural} back in {place}", "The {noun} of {place}", "{Org} wants to {verb}", "Counting {plural} at night", "What {adj} {plural} need"},
		event: eventWords{
			titles:  []string{"Whales stranded at {where}", "Sperm whales on the beach of {where}", "Rescue of stranded whales at {where}"},
			numbers: [3]numberRange{{5, 18, 1, 1.5}, {40, 160, 10, 1.7}, {2, 5, 1, 1.6}},
			facts: []factWords{
				{0, []string{"A group of whales has [stranded|run aground] off {where}.", "Whales [lie|are lying] on the beach of {where}.", "On the beach of {where} [walkers found|there are] stranded whales."}},
				{'a', []string{"Some {a} animals are [on the sand|stranded], [the rescuers said|rangers counted].", "Rangers [counted|found] {a} stranded animals.", "The number of stranded animals [rose to|is] {a}."}},
				{'b', []string{"Some {b} helpers [keep|are keeping] the animals wet.", "[Some|About] {b} helpers are at work with buckets and sheets.", "With {b} helpers the rescuers [wait for|hope for] the tide."}},
				{'c', []string{"Some {c} whales could be [led|brought] back to deep water.", "The rescuers [brought|led] {c} whales back to the sea.", "About {c} of the whales [swim|are] free again."}},
				{0, []string{"{who}, a marine biologist, [suspects|believes in] a wrong turn in a storm.", "A storm led them astray, [thinks biologist {who}|biologist {who} believes].", "Marine biologist {who} [sees|names] a storm as the reason."}},
				{0, []string{"A tug of {firm} [stands by|is waiting] off {where}.", "{firm} [lent|has sent] a tug.", "Off the beach a tug of {firm} [is ready|waits for high water]."}},
			},
		},
	}}
}

package topicweb

var hostNames = []string{"herald", "courier", "gazette", "radio", "council", "observer"}

var places = []string{
	"Kirkdale", "Lundby", "Marwick", "Oakham", "Pellworth", "Quarrby", "Redmoor", "Stanhope", "Thornby", "Ulverton",
	"Vexford", "Westerley", "Yarmby", "Ashcombe", "Brantley", "Corfield", "Dunmere", "Eastbrook", "Fallowdon", "Granby",
}

var adverts = []string{
	"Save 20 percent on rubber boots and flood pumps this week.", "Our river cruises start at 49 dollars a person.",
	"Compare 12 insurances against flood and water now.", "Win a weekend for two at the river hotel.",
	"Buy three sandbags and get the fourth one free.", "Dry cellars in 24 hours with the new water pump.",
	"Order your flood insurance today and save 30 dollars.", "The new river atlas is out, order it now for 19 dollars.",
}

// happenings holds for each kind of event the ways to tell of it. They share the
// words of the topic on purpose: another event of the same kind is the hard case.
var happenings = [][]string{
	{
		"{heavy|torrential} rain {flooded|swamped} $num {homes|houses} in $place.",
		"$num {homes|houses} in $place were {under water|flooded} after {heavy|hours of} rain.",
		"in $place the river {flooded|swamped} $num {homes|houses} overnight.",
		"after {heavy|torrential} rain $num {homes|houses} stood under water in $place.",
	},
	{
		"the {council|town} of $place {closed|shut} its old bridge after $num cracks were found.",
		"$num cracks were {found|discovered} in the old bridge of $place, which is now closed.",
		"$place has {closed|shut} the old bridge because of $num cracks.",
		"the old bridge in $place is closed since inspectors {found|counted} $num cracks.",
	},
	{
		"a dam near $place {broke|burst} and $num people were {evacuated|brought to safety}.",
		"$num people were {evacuated|taken away} near $place when a dam {broke|burst}.",
		"near $place a dam {burst|broke}; rescuers {evacuated|took out} $num people.",
		"the {burst|broken} dam near $place forced $num people from their {homes|houses}.",
	},
	{
		"a ferry from $place to $other {sank|went down} with $num passengers on board.",
		"$num passengers were on the ferry that {sank|went down} between $place and $other.",
		"the ferry $place to $other {sank|has sunk}, all $num passengers were {saved|rescued}.",
		"between $place and $other a ferry with $num passengers {sank|went down}.",
	},
	{
		"the mayor of $place {resigned|stepped down} over $num million {dollars|in dollars} of missing flood aid.",
		"over missing flood aid of $num million dollars the mayor of $place has {resigned|stepped down}.",
		"$place is without a mayor: $num million dollars of flood aid are missing and the mayor {resigned|quit}.",
		"the {resigned mayor|mayor} of $place cannot explain where $num million dollars of flood aid went.",
	},
	{
		"$num soldiers {arrived|came} in $place to {build|raise} a wall of sandbags.",
		"in $place $num soldiers {build|are building} a wall of sandbags against the river.",
		"the army {sent|moved} $num soldiers to $place, where they {build|raise} sandbag walls.",
		"a wall of sandbags is {built|raised} in $place by $num soldiers.",
	},
	{
		"the hospital of $place {lost|was without} power and moved $num patients to $other.",
		"$num patients were moved from $place to $other after the hospital {lost|was without} power.",
		"without power, the hospital in $place {moved|brought} $num patients to $other.",
		"a power cut {made|forced} the $place hospital move its $num patients to $other.",
	},
	{
		"{scientists|researchers} measured $num times the allowed lead in the river at $place.",
		"lead in the river at $place is $num times {above|over} the limit, {scientists|researchers} measured.",
		"at $place the river carries $num times the {allowed|legal} lead.",
		"$num times the allowed {amount|level} of lead was measured in the water at $place.",
	},
	{
		"a landslide {buried|covered} the railway between $place and $other; $num trains were cancelled.",
		"$num trains were {cancelled|stopped} after a landslide on the railway from $place to $other.",
		"the railway $place to $other is {buried|covered} by a landslide and $num trains {do not run|are cancelled}.",
		"no trains between $place and $other: a landslide {buried|hit} the railway and stopped $num of them.",
	},
	{
		"$num schools in $place {stay|remain} closed until the water falls.",
		"until the water {falls|goes down} $num schools of $place are closed.",
		"$place {closes|has closed} $num schools while the water is high.",
		"because of the high water $num schools {stay|are} closed in $place.",
	},
	{
		"farmers around $place {lost|say they lost} $num cattle in the flood.",
		"$num cattle {drowned|died} on the farms around $place.",
		"the flood {killed|drowned} $num cattle of farmers near $place.",
		"around $place $num cattle of the farmers {drowned|were lost}.",
	},
	{
		"divers {found|recovered} a wreck of $num tons in the river below $place.",
		"below $place a wreck of $num tons was {found|discovered} by divers.",
		"a wreck weighing $num tons lies in the river below $place, divers {found|report}.",
		"the divers' find below $place is a wreck of $num tons.",
	},
}

package novel

// words are the cues of a language, in lower case with spaces between; hyphens part words. Each list holds
// what the language uses for a purpose, whatever the topic.
type words struct {
	reader     string // words for "you"
	invites    string // verbs by which a page asks its reader to do something, at the start
	ought      string // what should or may be done
	conditions string // "if", at the start
	page       string // the page that the sentence stands on, and ways to reach its publisher
	house      string // words for "we"
	back       string // what points back, at the start
	pronouns   string // words for "he" and "them", among the first words
	moments    string // what follows "this" where it points at no sentence: "this week"
	fragments  string // verbs at the start of what has no subject: "Includes all cases."
	events     string // forms of verbs and words of time that tell of events
	present    string // "is", "are"
	links      string // prepositions and conjunctions
}

// cueWords gives the words of a language, and false where there are none.
func cueWords(lang string) (words, bool) {
	switch lang {
	case "en":
		return words{
			reader: "you your yours yourself please",
			invites: `sign subscribe get call visit apply learn read see find stay wash avoid use check follow contact view download note watch
				listen keep cover limit consider take make do try remember help join share submit select enter email protect search browse
				explore skip register donate ask go clean maintain wear click send print practice practise stop don be tell report let bring
				discover choose review prepare request open`,
			ought: `should must might recommend recommends recommended recommendation recommendations can cannot apply advise advised encourage
				encouraged guidance guidelines guideline important eligible need needs`,
			conditions: "if whether unless",
			page: `update updated updates website webpage webpages page pages table tables below above dashboard map chart charts document documents
				links link translation translations phone telephone hotline email staffed faq newsletter corrected correction`,
			house:     "we our ours us",
			back:      "this these those it they he she therefore however also but and so such its their his her that then both instead otherwise furthermore moreover additionally likewise meanwhile thus here",
			pronouns:  "they he she him them",
			moments:   "week weekend month year morning afternoon evening summer winter spring autumn fall season monday tuesday wednesday thursday friday saturday sunday",
			fragments: "updated includes including shows means contains provides gives offers features does comes based due according such",
			events: `has have had was were did will would said told says began won lost died killed found left made went came took gave sent met held rose fell
				grew became broke struck led fled shot sank sold bought built cut hit set shut won now today yesterday tomorrow tonight monday tuesday wednesday
				thursday friday saturday sunday announces declares orders dies wins loses rises falls`,
			present: "is are be being am does do",
			links:   "of in on at by for from to with as since and or but than per through until between among across within into over under about",
		}, true
	case "de":
		return words{
			reader:     "du dein deine dich ihnen bitte",
			invites:    "lesen lies abonnieren melden sehen hören entdecken erfahren klicken jetzt hier holen testen sichern vergleichen finden werden",
			ought:      "sollte sollten empfiehlt empfohlen empfehlen müsste müssten",
			conditions: "wenn falls sofern ob wer",
			page:       "aktualisiert webseite website seite tabelle newsletter newsticker webcast unten workshops webinaren podcast artikel überblick",
			house:      "wir unser unsere unserem unseren unserer uns ich mein meine",
			back: `dies diese dieser dieses dabei doch außerdem damit daher deshalb dazu derweil dort er sie aber auch und denn darum davon dafür dagegen
				daran darauf darüber danach deren dessen ihm ihn ihr ihre sein seine trotzdem zudem jedoch so somit nun dann stattdessen beide`,
			pronouns:  "er sie ihn ihm so",
			moments:   "woche monat jahr tage tagen wochenende sommer winter frühjahr herbst montag dienstag mittwoch donnerstag freitag samstag sonntag",
			fragments: "inklusive nur",
			events: `hat haben hatte hatten war waren wurde wurden worden wird werden will wollen soll sollen ließ gab kam ging starb tötete heute gestern jetzt
				montag dienstag mittwoch donnerstag freitag samstag sonntag laut kündigt warnt fordert ermittelt steigt sinkt stirbt beschließt meldet
				gewinnt verliert wählt wählen trifft treffen sagte sagt teilte`,
		}, true
	case "fr":
		return words{
			reader:     "vous votre vos cliquez",
			invites:    "lisez lire inscrivez abonnez découvrez voir consultez retrouvez suivez téléchargez contactez évitez lavez gardez restez partagez pensez",
			ought:      "devrait devraient doivent recommande recommandé recommandent faut",
			conditions: "si",
			page:       "page site tableau dessous mise courriel téléphone newsletter",
			house:      "nous notre nos",
			back:       "il elle ils elles cela ces cette mais ce ceci celui celle et donc ainsi aussi alors puis son sa ses leur leurs toutefois cependant pourtant",
			pronouns:   "il elle ils elles",
			moments:    "semaine année matin soir mois été hiver week lundi mardi mercredi jeudi vendredi samedi dimanche",
			events:     "a ont avait avaient était étaient sera seront fut furent aura vient hier aujourd demain lundi mardi mercredi jeudi vendredi samedi dimanche annonce meurt déclaré",
		}, true
	case "nl":
		return words{
			reader:     "u uw je jouw jij",
			invites:    "lees bekijk meld volg klik ontdek schrijf download neem bel houd blijf was vermijd gebruik deel",
			ought:      "moeten zouden aanbevolen aangeraden",
			conditions: "als indien",
			page:       "bijgewerkt website pagina tabel hieronder nieuwsbrief telefoonnummer",
			house:      "wij we ons onze",
			back:       "dit deze dat hij zij ze daarom maar en ook dus zo toch daarna daarbij daarmee hun haar echter bovendien",
			pronouns:   "hij zij ze hem",
			moments:    "week maand jaar ochtend avond weekend zomer winter maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
			events:     "heeft hebben had hadden is werd werden was waren zal zullen gaat gaan gisteren vandaag morgen maandag dinsdag woensdag donderdag vrijdag zaterdag zondag zei meldt",
		}, true
	case "es":
		return words{
			reader:     "usted ustedes tu tus",
			invites:    "lea vea suscríbase lee descubre consulte visite llame descargue haga evite lave mantenga use siga comparta haz sigue mira",
			ought:      "debe deben debería deberían recomienda recomiendan recomendado",
			conditions: "si",
			page:       "actualizado página sitio tabla boletín correo teléfono",
			house:      "nosotros nuestro nuestra nuestros nuestras",
			back:       "esto este esta estos estas ello pero además ese esa eso él ella ellos ellas también y así entonces luego su sus dicho dicha",
			pronouns:   "él ella ellos ellas",
			moments:    "semana mes año mañana tarde noche verano invierno lunes martes miércoles jueves viernes sábado domingo",
			events:     "ha han había fue fueron era eran será serán hubo dijo murió ayer hoy mañana lunes martes miércoles jueves viernes sábado domingo anunció anuncia",
		}, true
	}
	return words{}, false
}

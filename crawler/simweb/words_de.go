package simweb

// germanWords: nouns carry their article, acts are infinitives with "zu".
func germanWords() languageWords {
	phrases := foreignPhrases{
		titles: []string{"{Place}: {n:3-90} {plural} im Blick", "{Noun} in {place}", "Neues über {plural}", "{Place} und {noun}", "Was {plural} kosten"},
		count:  []string{"[Rund|Etwa|Genau] # % [werden gemeldet|sind es nach letzten Angaben].", "[Inzwischen|Bisher] # %, [hieß es in {where}|teilte {firm} mit].", "{who} [sprach von|nannte] # %."},
		who:    []string{"{who} [mahnte zur Ruhe|bat um Geduld].", "Man müsse ruhig bleiben, [sagte {who}|so {who}].", "[Um Geduld bat|Zur Ruhe mahnte] {who}."},
		firm:   []string{"Die Firma {firm} [hilft mit Geräten|schickt Fachleute].", "[Hilfe|Unterstützung] kommt von der Firma {firm}.", "Auch Leute der Firma {firm} sind [vor Ort|in {where}]."},
	}
	topics := []foreignTopic{
		{"harbour", "Business", "der Fischmarkt|der Hafen|der Leuchtturm|die Kaimauer|die Mole|die Schleuse|das Trockendock|das Zollhaus", "Anleger|Bagger|Frachter|Fähren|Kräne|Kutter|Lotsen|Poller|Schlepper|Speicher", "die Fahrrinne zu vertiefen|die Kaimauer zu verlängern|die Mole zu erneuern|neue Kräne zu kaufen|den Hafen zu entschlammen", []string{"Kran stürzt im Hafen von {where} um", "Hafen {where} nach Unfall gesperrt"}, []string{"Im Hafen von {where} ist ein Kran [umgestürzt|eingestürzt].", "Ein Ladekran [fiel|stürzte] in {where} auf den Kai."}, [3]string{"verletzte Arbeiter", "Millionen Pfund Schaden", "wartende Schiffe"}},
		{"vaccination", "Health", "das Gesundheitsamt|das Impfzentrum|der Impfbus|die Grippewelle|die Kinderklinik|die zweite Impfung", "Ampullen|Apotheken|Impfdosen|Kinderärzte|Nebenwirkungen|Pflegerinnen|Spritzen|Termine", "alle Schulkinder zu impfen|die Sprechstunden zu verlängern|neue Dosen zu bestellen|Pflegeheime zu besuchen", []string{"Masern in {where} ausgebrochen", "{where} öffnet Impfstelle"}, []string{"In {where} sind die Masern [ausgebrochen|aufgetreten].", "Das Amt [bestätigte|meldet] Masern in {where}."}, [3]string{"Erkrankte", "verabreichte Impfdosen", "geschlossene Schulen"}},
		{"chips", "Technology", "das Chipwerk|das Labor|der Reinraum|die Fertigung|die Forschung|die Kühlanlage", "Anlagen|Bauteile|Chips|Fachkräfte|Patente|Prozessoren|Sensoren|Wafer", "einen zweiten Reinraum zu bauen|Fachkräfte anzuwerben|Wasser zu sparen|die Fertigung zu verdoppeln", []string{"{firm} baut Chipwerk in {where}", "Chipfabrik kommt nach {where}"}, []string{"{firm} [baut|errichtet] ein Chipwerk in {where}.", "Das neue Chipwerk von {firm} [entsteht|kommt] in {where}."}, [3]string{"neue Stellen", "Milliarden Pfund Baukosten", "Millionen Pfund Zuschuss"}},
		{"flood", "Environment", "das Hochwasser|das Wehr|der Deich|der Pegel|die Flussaue|die Notunterkunft|die Pumpstation", "Deiche|Keller|Pegel|Pumpen|Retter|Sandsäcke|Schleusen|Wiesen", "den Deich zu erhöhen|die Keller zu trocknen|Sandsäcke zu füllen|das Wehr zu öffnen", []string{"Deich bei {where} gebrochen", "Hochwasser: {where} geräumt"}, []string{"Bei {where} ist der Deich [gebrochen|gerissen].", "Der Fluss hat {where} [überschwemmt|unter Wasser gesetzt]."}, [3]string{"Menschen ohne Wohnung", "Meter am Pegel", "Millionen Pfund Schaden"}},
		{"election", "Government", "das Rathaus|das Wahllokal|der Kreistag|der Stadtrat|die Auszählung|die Bürgerliste|die Wahlleitung", "Anhänger|Bewerber|Mandate|Plakate|Stimmen|Stimmzettel|Umfragen|Wahlhelfer", "die Stimmen neu zu zählen|ein Bündnis zu bilden|Plakate abzuhängen|Wahllokale zu öffnen", []string{"{who} führt bei der Wahl in {where}", "Knappe Wahl in {where}"}, []string{"{who} [führt|liegt vorn] bei der Wahl in {where}.", "Bei der Wahl in {where} [liegt {who} vorn|führt {who}]."}, [3]string{"Prozent für die Führenden", "ausgezählte Stimmzettel", "Prozent Beteiligung"}},
		{"wildlife", "Science", "das Moor|das Naturschutzgebiet|der Brutplatz|der Storchenhorst|die Seehundbank|die Vogelwarte", "Biber|Eulen|Fischotter|Fledermäuse|Kraniche|Lachse|Seehunde|Störche|Wölfe", "das Moor zu vernässen|die Nester zu zählen|Erlen zu pflanzen|Jungvögel zu beringen", []string{"Wale vor {where} gestrandet", "Rettung der Wale von {where}"}, []string{"Vor {where} sind Wale [gestrandet|auf Grund gelaufen].", "Am Strand von {where} [liegen|fanden Spaziergänger] Wale."}, [3]string{"gestrandete Tiere", "Helferinnen und Helfer", "gerettete Wale"}},
		{"prices", "Economy", "das Brot|der Bäcker|der Milchpreis|der Strompreis|die Miete|die Notenbank|die Weizenernte", "Äpfel|Eier|Haushalte|Kartoffeln|Löhne|Mieten|Sparer|Zwiebeln", "den Strompreis zu deckeln|die Mieten zu senken|Getreide einzuführen|Löhne zu erhöhen", []string{"Brot in {where} teurer", "Getreide wird in {where} knapp"}, []string{"In {where} ist das Brot [knapp|teuer] geworden.", "Getreide [fehlt|wird knapp] in {where}."}, [3]string{"Prozent Aufschlag", "Menschen vor dem Rathaus", "Tausend Tonnen aus der Reserve"}},
		{"railway", "Travel", "das Stellwerk|der Bahnhof|der Nachtzug|der Tunnel|die Brücke|die Küstenbahn|die Nebenstrecke", "Bahnsteige|Fahrgäste|Gleise|Lokomotiven|Pendler|Schaffner|Signale|Wagen", "die Strecke zu elektrifizieren|neue Wagen zu bestellen|Signale zu erneuern|nachts zu fahren", []string{"Hangrutsch sperrt Bahn bei {where}", "Keine Züge nach {where}"}, []string{"Bei {where} ist ein Hang auf die Gleise [gerutscht|gestürzt].", "Die Bahn ist bei {where} nach einem Hangrutsch [gesperrt|unterbrochen]."}, [3]string{"Tage Sperrung", "betroffene Fahrgäste", "Meter zerstörtes Gleis"}},
	}
	words := languageWords{
		code: "de", thousand: ".", point: ',',
		lists: map[string]string{
			"first":  "Anke|Bernd|Doris|Emil|Frauke|Gustav|Heike|Ilse|Jürgen|Käthe|Lothar|Marlene|Norbert|Renate|Sönke|Tilda|Uwe|Wiebke",
			"last":   "Albers|Brandt|Clausen|Dierks|Ehlers|Förster|Grün|Hansen|Iversen|Jäger|Köhler|Lüders|Möller|Nissen|Peters|Röhl|Schäfer|Thomsen|Vogt|Winkler",
			"place":  "Ahlbrück|Birkenau am See|Dornhafen|Elsmünde|Feldkirchen|Großenau|Hinterwald|Kaltenbach|Lindenried|Mühlental|Neustrand|Oberfurt|Rosenheide|Steinwarder|Tannfeld|Unterweiler|Westerhof|Ziegelhausen",
			"person": "{first} {last}", "month": "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember",
			"weekday": "Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag",
			"reason":  "aus Kostengründen|nach langem Streit|auf Wunsch vieler Bürger|trotz aller Bedenken|wegen des Wetters|ohne Gegenstimme",
		},
		says: []string{
			"{Noun} in {place} [kostet|braucht|bekommt] {n:2-90} Millionen Euro, {n:2-40} Prozent [mehr|weniger] als im {month}.",
			"In {place} [zählte|prüfte|sah] {person} im {month} [rund|etwa|genau] {n:12-9800} {plural}.",
			"{Person} aus {place} [hofft|plant|schlägt vor], {verb}.",
			"Am {weekday} [entscheidet|berät] der Rat von {place} {reason}, {verb}.",
			"[Seit|Bis] {y:1890-2024} [gab es|hatte man] in {place} {n:2-80} {plural}, [heute|inzwischen] sind es {n:3-99}.",
			"Niemand habe erwartet, dass {noun} so [wichtig|teuer|beliebt|umstritten] wird, sagte {person} am {weekday}.",
			"Zwischen {place} und {place} [fehlen|warten|stehen] {n:4-400} {plural}, {reason}.",
			"Wer {plural} sucht, [findet|erreicht] sie in {place} [ab {n:6-11} Uhr|nur im {month}|nach {n:2-30} Minuten].",
			"{Noun} von {place} wurde {y:1880-2021} [eröffnet|gebaut|gegründet] und [dient|gehört] heute {n:200-90000/100} Menschen.",
			"{N} von zehn Befragten in {place} [finden|halten] es für richtig, {verb}.",
		},
		repeats: []string{"Wie berichtet: ", "Zur Erinnerung: ", "Vor einigen Tagen hieß es: ", ""},
		furniture: furniture{
			home: "Startseite", about: "Über uns", archive: "Archiv", live: "Aktuell", seeAlso: "Siehe auch", elsewhere: "Aus anderen Seiten", latest: "Neueste Beiträge",
			all: "Alle Seiten", month: "Beiträge vom", login: "Bitte melden Sie sich an, um diese Seite zu lesen.", private: "Interne Papiere",
			price: "Der Preis beträgt {n:3-480},{n:10-99} Euro [inklusive Steuer|mit Versand].", notFound: "Leider haben wir die gesuchte Seite nicht gefunden.",
			advert: "Anzeige", visits: "Besuche", updated: "Seite geöffnet um", imprint: "Impressum",
			sections: [len(topicNames)]string{"Hafen", "Impfung", "Chips", "Hochwasser", "Wahlen", "Natur", "Preise", "Bahn"},
			adverts:  []string{"Sparkasse {place}: {f:1-5} Prozent für {n:2-9} Jahre.", "Urlaub in {place} ab {n:19-180} Euro.", "Dachdecker {last}, seit {y:1890-1990}."},
		},
	}
	words.lists["n"] = "Drei|Vier|Fünf|Sechs|Sieben|Acht|Neun"
	for _, t := range topics {
		words.topics = append(words.topics, phrases.topic(t))
	}
	return words
}

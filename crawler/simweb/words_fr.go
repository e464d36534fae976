package simweb

// frenchWords: nouns carry their article, acts are infinitives.
func frenchWords() languageWords {
	phrases := foreignPhrases{
		titles: []string{"{Place} : {n:3-90} {plural} en question", "{Noun} à {place}", "Du nouveau pour les {plural}", "{Place} veut {verb}", "Le prix des {plural}"},
		count:  []string{"On [compte|signale] # %.", "[Environ|Quelque] # %, [selon {firm}|d'après les autorités de {where}].", "{who} [parle de|évoque] # %."},
		who:    []string{"{who} [appelle au calme|demande de la patience].", "Il faut rester calme, [a dit|estime] {who}.", "Le calme est de mise, [selon|pour] {who}."},
		firm:   []string{"La société {firm} [prête du matériel|envoie des experts].", "Du matériel [arrive|est venu] de la société {firm}.", "Des experts de {firm} sont [sur place|à {where}]."},
	}
	topics := []foreignTopic{
		{"harbour", "Business", "la criée|la digue|la jetée|le bassin|le chenal|le phare|le port|le quai", "bateaux|cargos|dockers|dragues|grues|pilotes|pontons|remorqueurs", "draguer le chenal|prolonger la jetée|rénover le quai|acheter des grues", []string{"Une grue tombe dans le port de {where}", "Le port de {where} fermé"}, []string{"Une grue [est tombée|s'est effondrée] dans le port de {where}.", "À {where}, une grue [a basculé|s'est couchée] sur le quai."}, [3]string{"dockers blessés", "millions de livres de dégâts", "navires en attente"}},
		{"vaccination", "Health", "la campagne|la clinique|la seconde dose|le centre de santé|le vaccin|le rappel", "doses|enfants|infirmières|médecins|patients|pharmacies|rendez-vous|seringues", "vacciner les écoliers|prolonger les horaires|commander des doses|visiter les hospices", []string{"La rougeole à {where}", "{where} ouvre un centre de vaccination"}, []string{"La rougeole [frappe|touche] {where}.", "Des cas de rougeole sont [apparus|confirmés] à {where}."}, [3]string{"malades", "doses administrées", "écoles fermées"}},
		{"chips", "Technology", "l'usine|la fonderie|la recherche|la salle blanche|le laboratoire|le site", "brevets|capteurs|circuits|fournisseurs|ingénieurs|machines|processeurs|puces", "doubler la production|recruter des ingénieurs|économiser l'eau|bâtir une salle blanche", []string{"{firm} s'installe à {where}", "Une usine de puces à {where}"}, []string{"{firm} [bâtira|construit] une usine de puces à {where}.", "L'usine de puces de {firm} [sera bâtie|s'élèvera] à {where}."}, [3]string{"emplois", "milliards de livres investis", "millions de livres d'aide"}},
		{"flood", "Environment", "l'écluse|la crue|la digue|la rivière|la vanne|le barrage|le refuge", "caves|digues|maisons|pompes|prairies|puits|sauveteurs|sacs de sable", "relever la digue|vider les caves|remplir des sacs|ouvrir les vannes", []string{"La digue cède à {where}", "{where} sous les eaux"}, []string{"La digue a [cédé|rompu] près de {where}.", "La rivière a [envahi|inondé] {where}."}, [3]string{"habitants déplacés", "mètres à l'échelle de crue", "millions de livres de dégâts"}},
		{"election", "Government", "l'urne|la coalition|la liste|la mairie|le conseil|le débat|le scrutin", "affiches|bulletins|candidats|militants|sièges|sondages|urnes|électeurs", "recompter les voix|former une coalition|baisser les dépenses|publier les comptes", []string{"{who} en tête à {where}", "Scrutin serré à {where}"}, []string{"{who} est en tête [du scrutin|de l'élection] de {where}.", "À {where}, {who} [mène|domine] l'élection."}, [3]string{"pour cent des voix", "bulletins dépouillés", "pour cent de participation"}},
		{"wildlife", "Science", "l'étang|la colonie|la forêt|la réserve|le marais|le nid", "castors|cigognes|hiboux|loups|loutres|phoques|saumons|tortues", "compter les nids|replanter la haie|baguer les oiseaux|fermer le sentier", []string{"Des baleines échouées à {where}", "Sauvetage de baleines à {where}"}, []string{"Des baleines se sont échouées [près de|à] {where}.", "Sur la plage de {where} [gisent|on a trouvé] des baleines."}, [3]string{"animaux échoués", "bénévoles", "baleines sauvées"}},
		{"prices", "Economy", "l'épicerie|la banque|la récolte|le beurre|le loyer|le marché|le pain", "boulangers|loyers|oeufs|oignons|pommes|retraités|salaires|épargnants", "bloquer les loyers|baisser la taxe|importer du blé|relever les salaires", []string{"Le pain plus cher à {where}", "Le blé manque à {where}"}, []string{"Le pain est devenu [cher|rare] à {where}.", "Le blé [manque|fait défaut] à {where}."}, [3]string{"pour cent de hausse", "manifestants", "mille tonnes sorties des réserves"}},
		{"railway", "Travel", "la gare|la ligne|la voie|le pont|le train de nuit|le tunnel|le viaduc", "abonnés|billets|locomotives|quais|signaux|trains|voitures|voyageurs", "électrifier la ligne|rouvrir la gare|commander des voitures|remplacer les signaux", []string{"Un éboulement coupe la ligne de {where}", "Plus de trains à {where}"}, []string{"Un éboulement a [coupé|recouvert] la voie près de {where}.", "La ligne est [coupée|fermée] à {where} par un éboulement."}, [3]string{"jours de fermeture", "voyageurs touchés", "mètres de voie détruits"}},
	}
	words := languageWords{
		code: "fr", thousand: " ", point: ',',
		lists: map[string]string{
			"first":  "Agnès|Benoît|Céline|Denis|Elodie|François|Gaëlle|Hélène|Jérôme|Léa|Mathieu|Noël|Pauline|Rémi|Sylvie|Thérèse|Yves|Zoé",
			"last":   "Arnaud|Baudry|Chevrier|Delorme|Fabre|Garnier|Hébert|Lacroix|Mercier|Noiret|Péron|Roussel|Sorel|Tessier|Vasseur",
			"place":  "Aubignac|Beaumarais|Châtelmont|Douvernes|Fontclaire|Grandlieu|La Roche-Noire|Montferrand-le-Vieux|Neuvecelle|Port-Aubert|Quimperac|Roqueval|Saint-Alban|Trévigny|Valmer|Villeneuve-sur-Orne",
			"person": "{first} {last}", "month": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
			"weekday": "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
			"reason":  "faute de moyens|après un long débat|à la demande des habitants|malgré les réserves|sans opposition|à cause du temps",
		},
		says: []string{
			"{Noun} de {place} [coûte|a coûté|coûtera] {n:2-90} millions d'euros, soit {n:2-40} pour cent de [plus|moins] qu'en {month}.",
			"À {place}, {person} a [compté|examiné|vu] {n:12-980} {plural} en {month}.",
			"{Person} [espère|propose de|veut], {reason}, {verb}.",
			"[Le conseil|La commune] de {place} [votera|débattra] {weekday} pour {verb}.",
			"[Depuis|En] {y:1890-2024}, {place} [avait|comptait] {n:2-80} {plural} ; [on en voit|il y en a] {n:3-99} aujourd'hui.",
			"Personne n'attendait {noun} à {place}, [raconte|explique|se souvient] {person}.",
			"Entre {place} et {place}, {n:4-400} {plural} [attendent|manquent|suffisent], {reason}.",
			"{Noun} de {place}, [bâti|ouvert|fondé] vers {y:1880-2021}, [sert|concerne] {n:200-990/10} personnes.",
			"Pour [trouver|voir|entendre] des {plural}, il faut aller à {place} [avant {n:6-11} heures|en {month}|un {weekday}].",
		},
		repeats: []string{"Pour rappel : ", "Comme annoncé : ", "Il y a quelques jours : ", ""},
		furniture: furniture{
			home: "Accueil", about: "Qui sommes-nous", archive: "Archives", live: "En direct", seeAlso: "Voir aussi", elsewhere: "Ailleurs", latest: "Derniers articles",
			all: "Toutes les pages", month: "Articles de", login: "Merci de vous connecter pour lire cette page.", private: "Documents internes",
			price: "Le prix est de {n:3-480},{n:10-99} euros [taxes comprises|livraison comprise].", notFound: "Nous n'avons pas trouvé la page demandée.",
			advert: "Publicité", visits: "Visites", updated: "Page ouverte à", imprint: "Mentions légales",
			sections: [len(topicNames)]string{"Ports", "Vaccins", "Puces", "Crues", "Scrutins", "Nature", "Prix", "Rail"},
			adverts:  []string{"Banque de {place} : {f:1-5} pour cent pendant {n:2-9} ans.", "{Place} dès {n:19-180} euros.", "Couvreurs {last}, depuis {y:1890-1990}."},
		},
	}
	for _, t := range topics {
		words.topics = append(words.topics, phrases.topic(t))
	}
	return words
}

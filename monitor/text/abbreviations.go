package text

// general holds what most languages share. Titles and initials are the part
// that hurts most in news.
var general = lists{
	title:     "Dr Prof Mr Mrs Ms St Mt",
	never:     "vs e.g i.e cf ca viz al",
	reference: "No Nos Nr p pp Fig Vol Art Ver",
	final:     "etc Inc Ltd Co Corp Jr Sr Ph.D",
}

var languageLists = map[string]lists{
	"en": {
		title: `Inf Mr Mrs Ms Mx Messrs Dr Prof Rev Hon Gen Col Lt Maj Capt Cpl Cmdr Adm Sgt Pvt Brig Gov Sen Rep Pres Supt Det Insp
			Fr Msgr St Ste Mt Ft Pt Atty Amb Sec Asst Assoc Dep Dist Ald Supt Mme Mlle Sens Reps Govs Gens Drs Profs Revs Lieut Sr`,
		never: "vs v e.g i.e eg ie cf viz approx ca c esp incl excl al resp",
		reference: `No Nos no nos p pp pg pgs Fig Figs fig figs Vol Vols vol vols ch chap chaps Sec sec secs Art Arts art para paras eq eqs ver Rm rm
			ed eds n nr l ll Rev App Ex Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun`,
		final: `etc Inc Ltd Co co Corp Cos Bros LLC PLC Plc plc L.L.C Jr Jnr Sr Snr Esq Ph.D Ph.Ds M.Sc B.Sc Ed.D Psy.D Ave Blvd Rd Hwy Ln Sq Pl Ct Apt
			Dept dept Univ Assn Bldg Mfg Natl Intl govt ft oz lb lbs hr hrs min mins sec kg km mi sq cu mph est tel ext
			Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Md Mass Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa
			Penn Tenn Tex Va Vt Wash Wis Wyo N.Y N.J N.C S.C N.D S.D N.H N.M W.Va R.I D.C B.C Ont Que a.m p.m A.D`,
		openers: `A About According After All Also Although Among An And Another Any Are As At Because Before Both But By Can Could
			Despite Did Do Does During Each Earlier Even Every Few Finally First For From Had Has Have He Her Here His How However I If In Instead
			Is It Its Just Last Later Many Meanwhile More Moreover Most My Neither Never Next No None Nor Not Nothing Now Of On Once One Only Or Other
			Others Our Over Perhaps Several She Should Since So Some Soon Still Such Than Thank That The Their Then There These They This
			Those Though Through Thus To Today Tomorrow Two Under Unlike Until Upon Was We Were What When Where Whether Which While Who Whose Why Will
			With Within Without Would Yes Yesterday Yet You Your Please Let`,
		articles: "the a an",
		said:     "said says asked asks replied cried shouted answered added wrote told whispered yelled exclaimed",
		labelled: "vitamin plan type group hepatitis class grade section part appendix option exhibit figure phase model",
		clock: `Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October
			November December Eastern Central Mountain Pacific Greenwich Mon Tue Tues Wed Thu Thurs Fri Sat Sun Jan Feb Mar Apr Jun Jul Aug Sept Oct Nov Dec`,
	},
	"de": {
		title: `Hptm Oblt Maj Lt Bgmin med jur phil rer.nat Hr Hrn Fr Frl Dr Prof Dipl Ing Mag St Gebr Hl Frhr Gen Bgm Pfr RA Kard Dres Mr Mrs Ms`,
		never: `z.b d.h u.a.m i.d.r s.o s.u v.a u.u z.t z.zt i.a i.v m.e o.ä.d bzw ca vgl inkl exkl evtl ggf sog sogen zzgl abzgl bspw insb insbes
			max min mind vs gem lt bez betr allg amtl bes ehem einschl entspr geb gest i.e jew kgl kath ev na nördl südl östl westl
			o.g u.ä.m urspr versch vorm zw zit n.chr.d z.hd Jh.d mtl jährl tägl stv stellv dt engl frz ital span lat griech amerik`,
		reference: "Nr Nrn Art Abs S Bd Bde Kap Abb Tab Ziff Fn Rn Rdnr Anm Aufl Bsp Tel Hrsg Pos Lfg H Jg Jan Feb Mär Apr Jun Jul Aug Sep Sept Okt Nov Dez Mo Di Mi Do Fr Sa So",
		final: `usw etc usf u.a u.ä u.v.m u.s.w o.ä u.dgl Co Inc Corp Ltd Str str Jh Jhdt Jahrh Mio Mrd Mill Std Sek Min n.chr v.chr e.v
			a.d a.m p.m Ph.D B.A M.A B.Sc M.Sc jun sen Jr Sr Verf ff f Hbf Tsd Stck Stk Pkt ugs`,
		openers: `Aber Alle Alles Als Also Am An Andere Auch Auf Aus Außerdem Bei Beide Beim Bereits Bevor Bis Bisher Da Dabei Dadurch Dafür Dagegen Daher Damals
			Damit Danach Dann Daran Darauf Daraus Darin Darüber Darum Das Dass Dazu Dem Den Denn Dennoch Der Deren Des Deshalb Dessen Die Dies Diese Diesem
			Diesen Dieser Dieses Doch Dort Durch Ebenso Ein Eine Einem Einen Einer Eines Einige Er Erst Es Etwa Etwas Für Gegen Gestern Heute Hier Hierzu
			Ich Ihm Ihn Ihr Ihre Im In Ist Jede Jeder Jedes Jedoch Jetzt Kein Keine Man Manche Mehr Mehrere Mein Meine Mit Morgen Nach Nachdem Natürlich Neben Nicht
			Nichts Nie Niemand Noch Nun Nur Ob Obwohl Oder Ohne Schon Sein Seine Seit Seitdem Sie Sind So Sobald Solche Somit Sonst Sowohl Trotz Trotzdem Über
			Um Und Uns Unser Unsere Unter Viele Vielleicht Vom Von Vor War Warum Was Wegen Weil Weitere Welche Wem Wen Wenn Wer Wie Wieder Wir Wo Während Zu Zudem
			Zuerst Zum Zunächst Zur Zwar Zwei Zwischen`,
		articles: "der die das dem den des ein eine einem einen einer",
		said:     "sagte fragte rief antwortete meinte sagt ruft fragt",
		months: `Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Jan Feb Febr Mär Apr Aug Sep Sept Okt Nov Dez
			Jahrhundert Jahrhunderts Jahrtausend Weltkrieg Weltkriegs Weltkrieges Bundesliga Liga Lebensjahr Stock Klasse Platz Runde Minute Jahrestag Geburtstag
			Auflage Spieltag Etage Quartal Halbjahr Armee Kapitel Spielminute Senat Kammer Ausgabe Staffel Tag`,
		determiners: "am der die das dem den des vom zum zur im ins beim bis seit ab auf montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag und oder",
	},
	"fr": {
		articles:  "le la les un une du des",
		title:     "M MM Mme Mmes Mlle Mlles Dr Drs Pr Prof Me Mgr St Ste Sr Gén Col Cap Lt",
		never:     "p.ex c.-à-d cf env av vs i.e e.g ap boul bd hab",
		reference: "no nos n° p pp art vol chap fig t lun mar mer jeu ven sam dim janv févr avr juil sept oct nov déc éd tél al",
		final:     "etc Inc Cie Ltd Co Corp J.-C a.m p.m S.A R.A.T.P S.N.C.F Jr",
		openers: `À Ah Ainsi Alors Après Au Aucun Aujourd Aussi Autre Aux Avant Avec Bien C Car Ce Cela Celle Celui Cependant Certains Ces Cet Cette Ceux
			Chaque Chez Comme Comment D Dans De Depuis Des Deux Donc Du Elle Elles En Enfin Ensuite Entre Est Et Hier Ici Il Ils J Je Jusqu L La Là Le Les
			Leur Leurs Lors Lui Ma Mais Malgré Mes Moi Mon Même N Ne Ni Non Nos Notre Nous On Or Ou Où Oui Par Parce Parmi Pas Pendant Personne Peu Plus Plusieurs
			Pour Pourquoi Pourtant Près Puis Puisque Qu Quand Que Quel Quelle Quelques Qui Quoi Rien S Sa Sans Se Selon Ses Si Son Sont Sous Sur Tandis
			Toujours Tous Tout Toute Toutes Très Trois Tu Un Une Vers Voici Voilà Vos Votre Vous Y Ça Était Été`,
	},
	"nl": {
		articles:  "de het een",
		title:     "dhr mevr mw Mr mr Dr dr drs Drs ir Ir ing Ing Prof prof ds Ds St Jhr jhr Mej mej Kol Gen Lt mgr Mgr Mrs Ms",
		never:     "bijv bv d.w.z o.a m.n t.o.v m.b.t i.v.m i.p.v z.g zgn incl excl ca resp vgl t.g.v a.h.w n.a.v o.l.v t.b.v t.w m.u.v d.m.v i.e e.g vs ong evt m.i a.u.b max min ev gem",
		reference: "nr nrs Nr art blz p pp Afb afb Fig fig hfst vol jg par tel ma di wo do vr za zo jan feb mrt apr jun jul aug sep sept okt nov dec",
		final:     "enz etc e.d e.a Inc Corp Co Ltd N.V B.V n.v b.v a.s jl v.Chr n.Chr a.m p.m m.a.w jr sr mln mld",
		openers: `Aan Achter Al Alle Alleen Als Anderen Beide Bij Binnen Daar Daarbij Daarmee Daarna Daarom Daarvoor Dan Dat De Deze Die Dit Door Dus Een Eerst
			Elk Elke En Enkele Er Gisteren Geen Haar Had Heeft Het Hier Hij Hoe Hoewel Hun Ik In Inmiddels Is Ja Je Jullie Maar Meer Men Met Mijn Morgen
			Na Naar Nadat Nee Net Niemand Niet Niets Nog Nu Of Om Omdat Onder Ondanks Ons Onze Ook Op Over Pas Sinds Soms Steeds Te Tegen Tijdens Toch Toen Tot Twee Uit
			Vandaag Van Veel Vele Verder Volgens Voor Voordat Waar Waarom Wanneer Want Was Wat We Wel Welke Werd Wie Wij Ze Zelfs Zij Zijn Zo Zodra Zonder`,
	},
	"es": {
		articles:  "el la los las un una",
		title:     "sr sra sres sras srta srtas dr dra dres D dª dña prof profa lic ing arq gral gob mons pbro Sto Sta cnel Tte Cap Fr Excmo Excma Ilmo Ilma Mr Mrs",
		never:     "EE p.ej p.e ej cf aprox ca vs e.g i.e av Av Avda Avda Blvd c gral máx mín incl",
		reference: "núm núms Núm n° n.º no nos pág págs p pp art arts vol vols cap caps fig figs t tel tfno lun mar mié jue vie sáb dom ene feb abr ago sept oct nov dic",
		final:     "etc Cía cía Inc Corp Ltd Co S.A S.L EE.UU ee.uu a.m p.m a.C d.C Ud Uds Vd Vds RR.HH FF.AA JJ.OO Jr Ph.D s.f",
		openers: `A Ahora Al Algunos Algunas Además Antes Aquel Aquí Así Aunque Ayer Bajo Cada Casi Como Cómo Con Contra Cuando Cuándo De Del Desde Después Donde Dónde Dos Durante
			El Él Ella Ellas Ellos En Entonces Entre Era Es Esa Ese Eso Esos Esta Está Estas Este Estos Esto Fue Ha Hace Hacia Han Hasta Hay Hoy Incluso La Las Le Les Lo Los
			Luego Mañana Más Me Mi Mientras Mis Mucho Muchos Muchas Muy Nada Nadie Ni Ningún No Nos Nosotros Nuestra Nuestro Nunca O Otra Otro Otros Para Pero Poco Por Porque Pues Que Qué
			Quien Quién Se Según Ser Si Sí Sin Sobre Sólo Solo Son Su Sus También Tampoco Tan Tanto Te Tenía Tiene Todo Todos Todas Tras Tres Tu Tú Un Una Unas Uno Unos Usted Vamos Varios Y Ya Yo`,
	},
	"it": {
		articles:  "il lo la gli le un una",
		title:     "sig sigg sig.ra dott dott.ssa dr prof prof.ssa avv ing arch geom rag On mons Gen Col Cap Ten S Don egr gent",
		never:     "ad.es p.es es cfr ca c.a vs i.e e.g",
		reference: "n nn N art artt pag pagg p pp vol voll cap capp fig tel gen feb mar apr mag giu lug ago set ott nov dic",
		final:     "ecc etc S.p.A s.p.a S.r.l s.r.l Inc Ltd Co Corp a.C d.C a.m p.m Jr",
		openers: `A Ad Ai Al Alcuni Alla Alle Altri Anche Ancora Appena Bisogna C Che Chi Ci Come Con Contro Così Cosa Da Dal Dalla Dei Del Della Delle Di Dopo Dove Due Durante E È Ecco Ed Era Erano
			Fra Già Gli Ha Hanno Ho I Ieri Il In Infatti Inoltre Invece Io L La Le Lei Lo Loro Lui Ma Mentre Mi Molti Ne Nei Nel Nella Nessuno Niente Noi Non Nonostante O Oggi Ogni Ora Ormai Per Perché Perciò
			Però Più Poi Prima Proprio Quando Quanto Quasi Quella Quello Questa Queste Questi Questo Qui Quindi Se Secondo Sembra Senza Si Sì Solo Sono Su Sul Sulla Tra Tre Troppo Tutti Tutto Un Una Uno Vi Voi`,
	},
	"pt": {
		articles:  "o a os as um uma",
		title:     "sr sra srs sras srta dr dra drs prof profa eng Exmo Exma Gen Cel Cap Ten Pe D Mons Sto Sta",
		never:     "p.ex ex cf aprox ca vs i.e e.g av Av",
		reference: "n nº núm pág págs p pp art arts vol cap fig tel jan fev mar abr mai jun jul ago set out nov dez",
		final:     "etc Cia Ltda Inc Co Corp S.A a.C d.C a.m p.m Jr EUA E.U.A",
		openers: `A Ao Aos Agora Ainda Além Alguns Antes Apesar Após As Assim Até Cada Com Como Contra Da De Depois Desde Do Dois Durante E É Ela Elas Ele Eles Em Então Entre Era Essa Esse Esta Está Este Eu Foi
			Há Hoje Isso Isto Já Lá Mais Mas Mesmo Meu Minha Muito Muitos Na Nada Não Nas Nem No Nos Nós Nunca O Onde Ontem Os Ou Outra Outro Outros Para Pela Pelo Por Porque Porém Quando Quanto Quase Que Quem Se
			Segundo Sem Ser Seu Sua São Só Sob Sobre Também Tem Tinha Toda Todo Todos Três Tu Um Uma Uns Vários Você`,
	},
}

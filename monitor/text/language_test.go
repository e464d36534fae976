package text

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var samples = map[string]string{
	"en": "The harbour authority said on Tuesday that the old bridge would stay closed to lorries until the end of the winter, because engineers had found cracks in two of its pillars.",
	"de": "Die Hafenbehörde teilte am Dienstag mit, dass die alte Brücke bis zum Ende des Winters für Lastwagen gesperrt bleibt, weil Ingenieure Risse in zwei Pfeilern gefunden haben.",
	"fr": "Les autorités du port ont annoncé mardi que le vieux pont resterait fermé aux camions jusqu'à la fin de l'hiver, car des fissures ont été découvertes dans deux de ses piliers.",
	"nl": "Het havenbedrijf liet dinsdag weten dat de oude brug tot het einde van de winter gesloten blijft voor vrachtwagens, omdat er scheuren zijn gevonden in twee van de pijlers.",
	"es": "La autoridad del puerto anunció el martes que el puente viejo seguirá cerrado a los camiones hasta el final del invierno, porque se han encontrado grietas en dos de sus pilares.",
	"it": "L'autorità portuale ha annunciato martedì che il vecchio ponte resterà chiuso ai camion fino alla fine dell'inverno, perché sono state trovate delle crepe in due dei suoi piloni.",
	"da": "Havnemyndigheden oplyste tirsdag, at den gamle bro fortsat vil være lukket for lastbiler indtil vinterens slutning, fordi ingeniører har fundet revner i to af dens piller.",
	"sv": "Hamnmyndigheten meddelade på tisdagen att den gamla bron förblir stängd för lastbilar till slutet av vintern, eftersom ingenjörer har hittat sprickor i två av dess pelare.",
	"pt": "A autoridade portuária anunciou na terça-feira que a ponte velha continuará fechada aos caminhões até o fim do inverno, porque foram encontradas fissuras em dois dos seus pilares.",
	"ru": "Портовые власти сообщили во вторник, что старый мост останется закрытым для грузовиков до конца зимы, потому что инженеры обнаружили трещины в двух его опорах.",
	"ja": "港湾局は火曜日、古い橋の柱二本にひびが見つかったため、冬の終わりまでトラックの通行を禁止すると発表した。",
	"zh": "港务局星期二宣布，由于工程师在旧桥的两根桥墩上发现裂缝，卡车将在冬季结束前禁止通行。",
	"ko": "항만 당국은 화요일에 오래된 다리의 기둥 두 개에서 균열이 발견되어 겨울이 끝날 때까지 트럭 통행을 금지한다고 밝혔다.",
	"el": "Οι λιμενικές αρχές ανακοίνωσαν την Τρίτη ότι η παλιά γέφυρα θα παραμείνει κλειστή για τα φορτηγά μέχρι το τέλος του χειμώνα.",
	"he": "רשות הנמל הודיעה ביום שלישי כי הגשר הישן יישאר סגור למשאיות עד סוף החורף, משום שמהנדסים מצאו סדקים בשניים מעמודיו של הגשר הישן.",
	"th": "การท่าเรือประกาศเมื่อวันอังคารว่าสะพานเก่าจะปิดไม่ให้รถบรรทุกผ่านจนถึงสิ้นฤดูหนาว",
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for want, sample := range samples {
		for _, declared := range []string{"", "en-US", want} {
			if got, reliable := Detect(sample, declared); got != want || !reliable {
				t.Errorf("Detect(%s sample, declared %q) = %q, %v, want %q, true", want, declared, got, reliable, want)
			}
		}
	}
	for _, tt := range []struct{ name, sample, declared, want string }{
		{"too short for trigrams", "Bonjour", "de-AT", "de"},
		{"nothing at all", "", "fr-CA", "fr"},
		{"digits only", "12 345", "en", "en"},
		{"nothing declared", "Bonjour", "", ""},
		{"declared against the script", "Обед", "en", ""},
		{"a heading in Japanese without kana", "東京都知事選挙", "ja", "ja"},
		{"Norwegian by its common code", "Kort tekst", "nb-NO", "no"},
		{"undetermined", "Kort tekst", "und", ""},
	} {
		if got, reliable := Detect(tt.sample, tt.declared); got != tt.want || reliable {
			t.Errorf("%s: Detect(%q, %q) = %q, %v, want %q, false", tt.name, tt.sample, tt.declared, got, reliable, tt.want)
		}
	}
	mixed := strings.Repeat("func main() { return nil } ", 6) + samples["ja"]
	if got, reliable := Detect(mixed, "en"); got != "ja" || !reliable {
		t.Errorf("Detect(code and Japanese) = %q, %v, want ja, true", got, reliable)
	}
	catalan := "L'autoritat portuària va anunciar dimarts que el pont vell continuarà tancat als camions fins al final de l'hivern, perquè s'han trobat esquerdes en dos dels seus pilars."
	if got, reliable := Detect(catalan, "ca"); got != "ca" || reliable { // unknown to the trigrams, too near to Spanish for the lists
		t.Errorf("Detect(Catalan) = %q, %v, want ca, false", got, reliable)
	}
	quote := samples["en"] + " They call it 橋, the bridge, or はし."
	if got, _ := Detect(quote, ""); got != "en" {
		t.Errorf("Detect(English with a Japanese word) = %q, want en", got)
	}
}

func TestDetectIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(samples["en"]+" ", 50_000)
	from := time.Now()
	for range 20 {
		Detect(long, "")
	}
	if took := time.Since(from); took > 2*time.Second { // a full read is some 60 s
		t.Errorf("20 calls on %d MB took %v", len(long)>>20, took)
	}
}

func TestJapaneseShare(t *testing.T) {
	t.Parallel()
	for lang, sample := range samples {
		share := JapaneseShare(sample)
		if lang == "ja" && (share < 0.99 || !Kana(sample)) || lang != "ja" && (share != 0 || Kana(sample)) {
			t.Errorf("%s sample: JapaneseShare = %v, Kana = %v", lang, share, Kana(sample))
		}
	}
	if got, want := JapaneseShare("ab あ漢 12"), 0.5; got != want {
		t.Errorf("JapaneseShare(half) = %v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if got := JapaneseShare(s); got < 0 || got > 1 {
			t.Errorf("JapaneseShare(%q) = %v", s, got)
		}
	})
}

func FuzzDetect(f *testing.F) {
	for _, s := range samples {
		f.Add(s, "en")
	}
	f.Fuzz(func(t *testing.T, s, declared string) {
		if a, b := Detect(s, declared); a == "" && b {
			t.Errorf("Detect(%q, %q) is sure of no language", s, declared)
		}
		Terms(s, "en")
		IsSentence(s, "en")
	})
}

func BenchmarkDetect(b *testing.B) {
	for _, lang := range []string{"en", "ru", "ja"} {
		s := strings.Repeat(samples[lang]+" ", 100)
		b.Run(lang, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Detect(s, "")
			}
		})
	}
}

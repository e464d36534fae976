package pagedate

// monthOf is the month that a word in lower case names in one of the languages, as
// a name or an abbreviation without its point; 0 for other words. Abbreviations that
// are common words elsewhere (Portuguese "out", Italian "set") are left out.
func monthOf(word string) int {
	switch word {
	case "january", "jan", "januar", "jänner", "jän", "janvier", "janv", "januari", "enero", "ene", "gennaio", "janeiro":
		return 1
	case "february", "feb", "februar", "feber", "février", "fevrier", "févr", "fév", "februari", "febrero", "febbraio", "fevereiro":
		return 2
	case "march", "mar", "märz", "maerz", "mär", "mars", "maart", "mrt", "marzo", "março", "marco":
		return 3
	case "april", "apr", "avril", "avr", "abril", "abr", "aprile":
		return 4
	case "may", "mai", "mei", "mayo", "maggio", "maio":
		return 5
	case "june", "jun", "juni", "juin", "junio", "giugno", "junho":
		return 6
	case "july", "jul", "juli", "juillet", "juil", "julio", "luglio", "julho":
		return 7
	case "august", "aug", "août", "aout", "augustus", "agosto", "ago":
		return 8
	case "september", "sept", "sep", "septembre", "septiembre", "setiembre", "settembre", "setembro":
		return 9
	case "october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "outubro":
		return 10
	case "november", "nov", "novembre", "noviembre", "novembro":
		return 11
	case "december", "dec", "dezember", "dez", "décembre", "decembre", "déc", "diciembre", "dic", "dicembre", "dezembro":
		return 12
	}
	return 0
}

// ordinal reports whether a word may stand behind the number of a day.
func ordinal(word string) bool {
	switch word {
	case "st", "nd", "rd", "th", "er", "º", "ª", "de", "di", "of", "e":
		return true
	}
	return false
}

// joiner reports whether a word may stand between month and year.
func joiner(word string) bool {
	switch word {
	case "de", "del", "of", "do":
		return true
	}
	return false
}

// era is the year before the first one of a Japanese era; 0 for other words.
func era(word string) int {
	switch word {
	case "令和":
		return 2018
	case "平成":
		return 1988
	case "昭和":
		return 1925
	}
	return 0
}

// cues are what stands before a date that says when the page was published or
// modified, in lower case.
func cues(k Kind) []string {
	if k == Modified {
		return []string{
			"last modified", "modified", "last updated", "updated", "last update", "update:", "last change", "last edited", "revised",
			"stand:", "zuletzt", "geändert", "änderung", "aktualisiert", "bearbeitet",
			"mis à jour", "mise à jour", "modifié", "modification",
			"bijgewerkt", "gewijzigd", "laatste wijziging",
			"actualizado", "actualizada", "modificado", "modificación", "actualización", "aggiornato", "ultima modifica", "atualizado", "atualizada",
			"更新", "改訂", "修订", "수정", "업데이트",
		}
	}
	return []string{
		"published", "posted", "publication date", "date:", "release date", "created", "written on",
		"veröffentlicht", "erschienen", "erstellt", "datum:",
		"publié", "mis en ligne", "mise en ligne", "posté le", "paru le",
		"gepubliceerd", "geplaatst", "gepost",
		"publicado", "publicada", "fecha:", "pubblicato", "pubblicata", "data:",
		"公開日", "投稿日", "掲載日", "作成日", "発表日", "公開:", "発行日", "发布", "发表", "작성일", "등록일",
	}
}

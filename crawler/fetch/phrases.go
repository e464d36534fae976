package fetch

// The phrases by which stand-ins for pages are known, in lower case. Each is one that titles and
// headings of such pages consist of; what ordinary pages also say does not belong here.

// notFound are whole titles or headings.
func notFoundPhrases() []string {
	return []string{
		"404", "404 error", "error 404", "404 not found", "404 page not found", "error 404 not found", "404 file not found",
		"not found", "page not found", "the page was not found", "file not found", "page not found (404)",
		"page cannot be found", "the page cannot be found", "this page could not be found", "page does not exist", "this page doesn't exist",
		"page no longer available", "this page is no longer available", "this page isn't available", "content not found",
		"we can't find that page", "we couldn't find that page", "sorry, we can't find that page", "sorry, this page isn't available",
		"nothing found", "page not available", "page removed", "no longer available",
		"seite nicht gefunden", "die seite wurde nicht gefunden", "seite wurde nicht gefunden", "diese seite existiert nicht", "fehler 404",
		"page non trouvée", "page introuvable", "cette page n'existe pas", "page non trouvee", "erreur 404",
		"página no encontrada", "pagina no encontrada", "esta página no existe",
		"página não encontrada", "pagina nao encontrada", "erro 404",
		"pagina non trovata", "errore 404", "pagina niet gevonden", "sidan hittades inte", "sidan kunde inte hittas",
		"siden ble ikke funnet", "siden blev ikke fundet", "sivua ei löydy", "nie znaleziono strony", "strona nie istnieje",
		"страница не найдена", "сторінку не знайдено", "stránka nenalezena", "sayfa bulunamadı",
		"ページが見つかりません", "ページが見つかりませんでした", "お探しのページは見つかりませんでした", "お探しのページは見つかりません",
		"页面不存在", "页面未找到", "找不到页面", "找不到頁面", "페이지를 찾을 수 없습니다",
	}
}

// blockedPhrases begin a title, a heading or the text of a page that keeps robots or us out.
func blockedPhrases() []string {
	return []string{
		"are you a robot", "are you a human", "are you human", "verify you are human", "verify that you are human", "verifying you are human",
		"please verify you are a human", "please verify you are human", "confirm you are human", "checking your browser", "checking if the site connection is secure",
		"just a moment", "one moment, please", "attention required", "access denied", "access to this page has been denied",
		"request blocked", "your request has been blocked", "the request could not be satisfied", "you have been blocked", "sorry, you have been blocked",
		"unusual traffic", "our systems have detected unusual traffic", "pardon our interruption", "security check", "robot check", "bot verification", "captcha",
		"enable javascript and cookies to continue", "please enable javascript and cookies",
		"sind sie ein roboter", "zugriff verweigert", "sicherheitsüberprüfung",
		"êtes-vous un robot", "accès refusé", "vérification de sécurité",
		"acceso denegado", "acesso negado", "accesso negato", "toegang geweigerd", "доступ запрещен", "доступ запрещён",
		"アクセスが拒否されました", "访问被拒绝", "安全验证",
	}
}

// errorPhrases begin a title, a heading or the text of an error page.
func errorPhrases() []string {
	return []string{
		"something went wrong", "oops! something went wrong", "oops, something went wrong", "sorry, something went wrong", "an error occurred", "an error has occurred", "application error", "server error in",
		"internal server error", "500 internal server error", "500 - internal server error", "error 500", "http error 500", "502 bad gateway", "bad gateway", "503 service unavailable",
		"503 service temporarily unavailable", "service unavailable", "service temporarily unavailable", "504 gateway time-out", "504 gateway timeout", "gateway timeout",
		"error establishing a database connection", "database error", "database connection error", "could not connect to the database", "unable to connect to the database", "too many connections",
		"fatal error: uncaught", "php fatal error", "parse error: syntax error", "warning: mysqli_connect", "warning: mysql_connect", "sqlstate[", "traceback (most recent call last)",
		"there has been a critical error on this website", "there has been a critical error on your website", "the site is experiencing technical difficulties", "this site is experiencing technical difficulties",
		"briefly unavailable for scheduled maintenance", "down for maintenance", "site under maintenance", "under maintenance", "temporarily unavailable", "temporarily down for maintenance", "we'll be back soon", "we will be back soon",
		"account suspended", "this account has been suspended", "bandwidth limit exceeded", "bandwidth exceeded", "website is offline", "this website is temporarily unavailable",
		"wartungsarbeiten", "wartungsmodus", "ein fehler ist aufgetreten", "interner serverfehler", "datenbankfehler", "site en maintenance", "une erreur est survenue", "erreur interne du serveur",
		"error interno del servidor", "en mantenimiento", "sitio en mantenimiento", "ha ocurrido un error", "ocorreu um erro", "em manutenção", "si è verificato un errore", "sito in manutenzione",
		"er is een fout opgetreden", "ett fel inträffade", "wystąpił błąd", "произошла ошибка", "внутренняя ошибка сервера", "ただいまメンテナンス中", "メンテナンス中", "エラーが発生しました", "系统错误", "服务器错误",
	}
}

// loginPhrases are whole titles or headings.
func loginPhrases() []string {
	return []string{
		"log in", "login", "sign in", "signin", "please log in", "please sign in", "log in to continue", "sign in to continue", "member login", "log in or sign up", "sign in or register",
		"anmelden", "anmeldung", "einloggen", "bitte anmelden", "connexion", "se connecter", "identifiez-vous", "iniciar sesión", "inicia sesión", "entrar", "fazer login",
		"accedi", "inloggen", "logga in", "zaloguj się", "logowanie", "вход", "войти", "ログイン", "登录", "登入", "로그인",
	}
}

// challenges are marks in markup of services that check for robots.
var challenges = [...]string{"g-recaptcha", "h-captcha", "hcaptcha.com", "cf-chl-", "challenge-platform", "cf-turnstile", "px-captcha", "captcha-delivery", "awswafintegration", "_incapsula_resource"}

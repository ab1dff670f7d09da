# Der externe Store: Anmeldung seiner Spieler, Schlüssel und Import einer Seite.

## Anmeldung der Spieler

player-sign-in = Anmeldung der Spieler
player-sign-in-text = Spieler deines Builds auf Steam melden sich mit ihrem Sitzungsticket an, und deine Server prüfen das Token, das sie dafür bekommen. Ein Konto brauchen sie hier nicht.
sign-in-on = eingeschaltet
sign-in-off = ausgeschaltet
sign-in-is-on = Die Anmeldung ist eingeschaltet
sign-in-is-off = Die Anmeldung ist ausgeschaltet
sign-in-turn-on = Anmeldung einschalten
sign-in-turn-off = Anmeldung ausschalten
sign-in-turn-off-text = Alle Tokens der Spieler werden sofort widerrufen, alle drei Schlüssel werden gelöscht, und Builds, die sich hier anmelden, funktionieren nicht mehr.
address-auth = Anmelden
address-auth-name = Adresse zum Anmelden
address-refresh = Erneuern
address-refresh-name = Adresse zum Erneuern
address-verify = Prüfen
address-verify-name = Adresse zum Prüfen
address-revoke = Widerrufen
address-revoke-name = Adresse zum Widerrufen
address-ownership = Besitz
address-ownership-name = Adresse für den Besitz

## Schlüssel

sign-in-keys = Schlüssel
auth-key = Auth-Schlüssel
auth-key-text = Nur für deine Server. Er signiert Tokens, und deine Server können mit ihm Spieler abfragen.
auth-key-replace = Der alte Schlüssel wird ungültig, und alle Sitzungstokens werden widerrufen. Spieler müssen sich neu anmelden, und deine Server brauchen den neuen Schlüssel, um sie zu prüfen.
ticket-key = Ticket-Schlüssel
ticket-key-text = Die Kennung, die dein Spiel angibt, wenn es ein Ticket anfordert. Sie ist Teil deiner Builds und deshalb nicht geheim.
ticket-key-replace = Builds mit dem alten Ticket-Schlüssel können sich nicht mehr anmelden. Wer angemeldet ist, bleibt es noch bis zu einer Stunde.
web-api-key = Web-API-Schlüssel
web-api-key-publisher = Web-API-Schlüssel des Publishers
web-api-key-hint = 32 Zeichen, 0–9 und A–F, von Steam. Er wird verschlüsselt gespeichert und nie wieder angezeigt.
web-api-key-text = Mit diesem Schlüssel liest dieser Store Daten von Steam. Er wird nie wieder angezeigt.
web-api-key-replace = Steam wird ab jetzt mit dem neuen Schlüssel abgefragt. Die anderen Schlüssel und alle Tokens gelten weiter.
web-api-key-replaced = Web-API-Schlüssel ersetzt

## Verknüpfte App

linked-app = App
linked-at = Verknüpft
last-synced = Zuletzt abgeglichen
never-synced = nie
unlink = Verknüpfung lösen …
unlink-text = Die Anmeldung wird ausgeschaltet, und ihre Schlüssel werden gelöscht. Importierte Inhalte bleiben. Die App kann danach mit einem anderen Eintrag verknüpft werden.
unlink-confirm = { $app } lösen
unlinked = Verknüpfung gelöst

## Import

sync-again = Erneut abgleichen
sync-again-text = Felder, die du seit dem letzten Import hier geändert hast, bleiben erhalten, wenn du sie nicht überschreiben lässt.
import-page = Deine Seite importieren
import-page-text = Übernimmt Text, Tags, Bilder, Angaben für die Presse und Preis von deiner Steam-Seite. Sieh dir zuerst die Vorschau an; bis du importierst, ändert sich nichts.
import-project = Projekt importieren
import-project-text = Erstelle einen Entwurf aus deiner Steam-Seite.
import-app-hint = Ihre Nummer oder ein Link zu ihrer Steam-Seite.
import-key-hint = 32 Zeichen, 0–9 und A–F, mit Zugriff auf die App. Er wird einmal benutzt und nicht gespeichert.
import-saved-key-hint = Bleibt das Feld leer, wird der gespeicherte Schlüssel benutzt.
import-groups = Was soll importiert werden?
import-group-text = Text
import-group-taxonomy = Genres, Tags und Spielerzahl
import-group-status = Entwicklungsstand
import-group-images = Bilder
import-group-press = Pressemappe
import-group-price = Preis
import-group-age = Inhaltswarnungen
import-group-store-link = Link zum Store
import-overwrite = Felder überschreiben, die seit dem letzten Import hier geändert wurden
import-sign-in = Auch die Anmeldung der Spieler einschalten
import-sign-in-hint = Der Schlüssel wird dann verschlüsselt gespeichert.
import-preview-button = Vorschau
import-button = Importieren
import-sync-button = Jetzt abgleichen
import-done = { $count ->
    [one] { $count } Feld importiert. Die Prüfung des Eintrags zeigt, was noch fehlt.
   *[other] { $count } Felder importiert. Die Prüfung des Eintrags zeigt, was noch fehlt.
}

## Bericht über einen Import

import-preview = Vorschau des Imports
import-result = Ergebnis des Imports
import-complete = Der Import ist abgeschlossen.
import-creates = Legt den Entwurf <strong>{ $project }</strong> an. Noch hat sich nichts geändert.
import-updates = Ändert <strong>{ $project }</strong>. Noch hat sich nichts geändert.
import-will-be = wird importiert
import-was = importiert
import-unchanged = unverändert
import-skipped = übersprungen
import-kept = hier geändert und behalten
import-field = Feld
import-this-store = Dieser Store
import-reason = Grund
import-screenshot = Screenshot { $number }
import-screenshots = { $count ->
    [one] { $count } Screenshot, davon { $imported } importiert.
   *[other] { $count } Screenshots, davon { $imported } importiert.
}
import-screenshots-skipped = Übersprungen: { $reasons }
import-never = Wird nie importiert
import-never-part = { $part }: { $reason }
import-part-cover = Titelbild
import-part-thumbnail = Vorschaubild
import-part-gallery = Galerie
import-part-credits = Mitwirkende
import-part-requirements = Systemanforderungen
import-part-achievements = Erfolge
import-part-add-ons = Erweiterungen
import-part-systems = Betriebssysteme

## Warum etwas nicht importiert wurde

import-not-selected = Nicht ausgewählt
import-not-saved = Der Import konnte nicht gespeichert werden. Es wurde nichts geändert. Versuche es noch einmal.
import-shortened = Auf { $max } Zeichen gekürzt
import-shortened-description = Auf die Höchstlänge einer Beschreibung gekürzt
import-no-tagline = Die Seite im Store hat keine Kurzbeschreibung
import-no-description = Die Seite im Store hat keine ausführliche Beschreibung
import-no-players = Die Seite im Store nennt weder Einzelspieler noch Mehrspieler
import-no-genre = Die Seite im Store hat kein Genre, das es hier gibt
import-no-tone = Keiner der Tags beschreibt die Stimmung des Spiels
import-no-input = Die Seite im Store nennt kein Eingabegerät
import-no-tags = Die Tags des Stores sind gerade nicht verfügbar. Gleiche später noch einmal ab.
import-kept-players = Der Store hat keine Höchstzahl der Spieler. Dein Wert bleibt.
import-assumed-players = Der Store hat keine Höchstzahl der Spieler. Angenommen wird { $count }, bitte prüfe das.
import-kept-session = Der Store hat keine Spieldauer. Dein Wert bleibt.
import-guessed-session = Der Store hat keine Spieldauer. Der Wert ist aus dem Genre geschätzt, bitte prüfe ihn.
import-no-status = Die Seite im Store sagt nicht, ob das Spiel erschienen ist
import-no-screenshot = Kein Screenshot der Seite im Store ist verwendbar. Die Gründe stehen bei den Screenshots.
import-no-release-date = Die Seite im Store hat kein Erscheinungsdatum
import-no-website = Die Seite im Store hat keine Website
import-no-trailer = Die Seite im Store hat keinen Trailer
import-no-https-trailer = Der Trailer hat keinen https-Link
import-no-credits = Die Seite im Store nennt weder Entwickler noch Publisher
import-editions-price = Der Preis ergibt sich aus den Editionen des Eintrags
import-no-price = Die Seite im Store hat keinen Preis
import-no-dollar-price = Die Seite im Store hat keinen Preis in US-Dollar
import-must-be-free = Der Eintrag erlaubt Downloads ohne Konto und muss deshalb kostenlos sein
import-paid-off = Dieser Store hat nur kostenlose Einträge
import-no-warnings = Die Seite im Store hat keine Inhaltswarnungen
import-stays-adult = Der Eintrag ist als „nur für Erwachsene“ gekennzeichnet. Ein Import entfernt das nie.
import-same-image = Das Bild ist gleich einem früheren
import-other-image-host = Das Bild liegt nicht auf einem Bildserver des Stores
import-image-redirect = Der Bildserver leitet an eine andere Adresse weiter, der nicht gefolgt wird
import-image-url = Die Adresse des Bildes ist nicht erlaubt
import-image-status = Der Bildserver antwortete mit Status { $status }
import-image-large = Das Bild ist größer als { $max }
import-image-small = Das Bild hat { $size }. Das Minimum ist { $min }
import-image-damaged = Das Bild ist beschädigt, abgeschnitten oder zu groß
import-few-tags = Der Store hat weniger als { $min } verwendbare Tags
import-few-screenshots = Ein öffentlicher Eintrag braucht mindestens { $min } Bilder in der Galerie, der Store hat { $count }
import-gallery-full = Die Galerie fasst { $max } Bilder
import-screenshot-limit = Nur die ersten { $max } Screenshots einer Seite werden importiert
import-never-languages = Sprachen werden nicht importiert. Gib sie im Dashboard an.
import-never-requirements = Einträge haben keine Systemanforderungen. Nimm sie bei Bedarf in die Beschreibung auf.
import-never-achievements = Erfolge werden nicht unterstützt
import-never-add-ons = Erweiterungen haben eigene Einträge
import-never-systems = Die Betriebssysteme ergeben sich aus den Builds, die du hochlädst

# Der externe Store: Anmeldung seiner Spieler, Schlüssel und Import einer Seite.

## Anmeldung der Spieler

player-sign-in = Anmeldung der Spieler
player-sign-in-text = Spieler deines Builds im externen Store melden sich mit ihrem Sitzungsticket an, und deine Server prüfen das Token, das sie dafür bekommen. Ein Konto brauchen sie hier nicht.
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
web-api-key-hint = 32 Zeichen, 0–9 und A–F, aus dem externen Store. Er wird verschlüsselt gespeichert und nie wieder angezeigt.
web-api-key-text = Damit fragt dieser Store den externen Store ab. Er wird nie wieder angezeigt.
web-api-key-replace = Der externe Store wird ab jetzt mit dem neuen Schlüssel abgefragt. Die anderen Schlüssel und alle Tokens gelten weiter.
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
import-page-text = Übernimmt Text, Tags, Bilder, Angaben für die Presse und Preis von deiner Seite im externen Store. Sieh dir zuerst die Vorschau an; bis du importierst, ändert sich nichts.
import-project = Projekt importieren
import-project-text = Erstelle einen Entwurf aus deiner Seite im externen Store.
import-app-hint = Ihre Nummer oder ein Link zu ihrer Seite im externen Store.
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

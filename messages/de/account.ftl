# Das Konto einer Person: Anmeldung, Einstellungen, Bibliothek und Schlüssel.

## Anmelden und registrieren

login-name = Benutzername oder E-Mail-Adresse
password = Passwort
username = Benutzername
email = E-Mail-Adresse
forgot-password = Passwort vergessen?
login-new-here = Neu hier? <link>Erstelle ein Konto</link>. Manche kostenlosen Spiele kannst du auch ohne Konto herunterladen.
sign-in-reason-download = Melde dich an, um { $name } herunterzuladen.
sign-in-reason-file = Melde dich an, um diese Datei herunterzuladen.
sign-in-reason-bug = Melde dich an, um ein Problem mit { $name } zu melden.
sign-in-reason-problem = Melde dich an, um ein Problem zu melden.
sign-in-reason-publish = Melde dich an, um Projekte zu veröffentlichen und zu verwalten.
create-account = Konto erstellen
create-account-button = Konto erstellen
signup-text = Spielen, rezensieren und veröffentlichen mit einem Konto.
signup-have-account = Hast du schon ein Konto? <link>Melde dich an</link>.
username-hint = { $min } bis { $max } Buchstaben, Ziffern und Bindestriche. Er ist Teil deiner öffentlichen Adresse.
email-hint = Für Codes und Neuigkeiten zu deinen Projekten. Sonst sieht sie niemand.
password-hint = Mindestens { $min } Zeichen. Gut geeignet ist ein kurzer Satz.
welcome = Willkommen an Bord, { $username }
welcome-back = Willkommen zurück, { $username }
signed-out = Du bist abgemeldet

## Ein Formular, das nach dem Ende der Sitzung gesendet wurde

resume-sign-in = Melde dich an, um fortzufahren
resume-session-ended = Deine Sitzung ist abgelaufen. Deine Eingaben sind noch da, aber noch nicht gespeichert. Melde dich an, um fortzufahren.
resume-continue = Fortfahren
resume-signed-in = Du bist als { $username } angemeldet
resume-not-saved = Deine Eingaben sind noch nicht gespeichert.
resume-send = Eingaben absenden
resume-discard = Verwerfen

## Passwort

reset-password = Passwort zurücksetzen
reset-password-text = Wir schicken dir per E-Mail einen Link, mit dem du ein neues Passwort festlegst. Er funktioniert einmal und gilt eine Stunde lang.
send-link = Link senden
back-to-sign-in = Zurück zur Anmeldung
check-email = Sieh in deinem Postfach nach
check-email-text = Wenn es ein passendes Konto gibt, haben wir einen Link an seine E-Mail-Adresse geschickt.
check-email-spam = Nichts angekommen? Sieh auch im Spam-Ordner nach. Nach fünf Minuten kannst du einen neuen Link anfordern.
request-another-link = Neuen Link anfordern
new-password-title = Neues Passwort festlegen
new-password-text = Damit wirst du auf allen Geräten abgemeldet.
new-password = Neues Passwort
save-password = Passwort speichern
link-expired = Link abgelaufen? <link>Fordere einen neuen an</link>.
password-changed = Dein Passwort ist geändert. Melde dich mit dem neuen Passwort an.

## E-Mail-Adresse

verify-title = E-Mail-Adresse bestätigen
verify-reason = Bis dahin kannst du nur Spiele herunterladen, die kein Konto verlangen, und sie bleiben nicht in deiner Bibliothek. Auch zum Rezensieren und Veröffentlichen brauchst du eine bestätigte Adresse.
verified = Bestätigt
not-verified = Nicht bestätigt
email-verified = Deine E-Mail-Adresse ist bestätigt
code-text = Wir schicken einen sechsstelligen Code an <strong>{ $email }</strong>. Gib ihn hier ein.
code-sent-text = Wir haben eine E-Mail mit einem sechsstelligen Code an <strong>{ $email }</strong> geschickt. Das kann eine Minute dauern. Sieh auch im Spam-Ordner nach. Der Code gilt zehn Minuten lang.
code-sent = Wir haben dir einen Code geschickt
code-wrong-address = Falsche Adresse? <link>Ändere sie</link>.
six-digit-code = Sechsstelliger Code
send-code = Code senden
send-another-code = Neuen Code senden
verify = Bestätigen
later = Später

## Einstellungen

account = Konto
change = Ändern
change-email = E-Mail-Adresse ändern
change-email-text = Wir senden einen Code an die neue Adresse. Die alte gilt, bis du den Code eingibst, und wird über die Änderung informiert. Ist sie bestätigt, kann die Änderung von dort sieben Tage lang rückgängig gemacht werden.
new-email = Neue E-Mail-Adresse
confirm-email = Neue Adresse bestätigen
confirm-email-text = Gib den sechsstelligen Code ein, den wir an die neue Adresse gesendet haben. Er gilt zehn Minuten.
email-changed = Deine E-Mail-Adresse ist jetzt { $email }.
undo-email = Änderung deiner E-Mail-Adresse rückgängig machen
undo-email-text = Dein Konto bekommt seine frühere E-Mail-Adresse zurück. Alle Sitzungen enden, dein Passwort gilt nicht mehr, und wir schicken dir einen Link, um ein neues zu wählen. Schlüssel und zweite Faktoren, die seit der Änderung dazugekommen sind, werden entfernt, und verbundene Apps werden getrennt.
undo-email-button = Änderung rückgängig machen
email-undone = Deine E-Mail-Adresse ist wiederhergestellt. Wir haben dir einen Link geschickt, um ein neues Passwort zu wählen.
change-password = Passwort ändern
change-password-text = Damit wirst du auf allen anderen Geräten abgemeldet.
current-password = Aktuelles Passwort
password-is-changed = Dein Passwort ist geändert. Auf allen anderen Geräten bist du abgemeldet.
developer-mode-on = Der Entwicklermodus ist eingeschaltet. <link>Zum Dashboard</link>
developer-mode-is-on = Der Entwicklermodus ist eingeschaltet
developer-mode-is-off = Der Entwicklermodus ist ausgeschaltet
developer-mode-turn-off = Entwicklermodus ausschalten
developer-terms-first = Akzeptiere zuerst die Bedingungen für Entwickler
adult-shown-text = Seiten mit sexuellen Inhalten oder Nacktheit werden dir gezeigt.
adult-hidden-text = Seiten mit sexuellen Inhalten oder Nacktheit sind ausgeblendet.
adult-hide = Inhalte für Erwachsene ausblenden
external-store-account = Steam-Konto
link-account-text = Verknüpfe dein Steam-Konto, damit Spiele dich an beiden Orten erkennen.
link-account = Konto verknüpfen
linked-account = Verknüpft: { $account }
unlink-account = Verknüpfung aufheben
account-linked = Das Konto ist verknüpft
account-unlinked = Die Verknüpfung ist aufgehoben

## Personenbezogene Daten

your-data = Deine Daten
your-data-text = Lade alles herunter, was über dich gespeichert ist, oder lösche dein Konto.
export-data = Daten exportieren
export-data-text = Du bekommst eine JSON-Datei mit allem, was zu deinem Konto gespeichert ist. Sie enthält weder Passwörter noch Schlüssel und keine hochgeladenen Dateien.
export-button = Herunterladen
delete-account = Konto löschen
delete-account-final = <strong>Das ist endgültig.</strong> Niemand kann das Konto wiederherstellen, und gekaufte Exemplare sind verloren.
delete-account-gone = Was gelöscht wird
delete-account-gone-text = Dein Konto mit Adresse, Profil und Einstellungen; deine Sitzungen, Schlüssel und verbundenen Apps; deine Bibliothek, Spielzeit und Spielstände in der Cloud; deine Rezensionen und Tags; deine Rollen in Projekten anderer.
delete-account-stays = Was bleibt
delete-account-stays-text = Was zu Projekten gehört, bleibt ohne deinen Namen: Fehlermeldungen, hochgeladene Dateien, der Verlauf der Veröffentlichungen und Downloadzahlen. In Backups bleibt das Konto, bis sie ablaufen.
delete-account-export = Vielleicht möchtest du zuerst <link>deine Daten exportieren</link>.
delete-account-username = Gib zur Bestätigung { $username } ein.
delete-account-projects = Dir gehören diese Projekte. Lösche sie zuerst im <link>Dashboard</link>; ein gelöschtes Projekt zählt, solange es wiederhergestellt werden kann.
delete-account-button = Konto löschen
account-is-deleted = Dein Konto ist gelöscht.

## Bibliothek

library-empty = Deine Bibliothek ist leer
library-empty-text = Spiele, die du angemeldet herunterlädst, bleiben hier, mit allen Updates.
library-no-downloads = Im Moment keine Downloads.
library-search = Bibliothek durchsuchen
library-sort = Sortieren nach
library-sort-added = Zuletzt hinzugefügt
library-sort-name = Name
library-sort-updated = Zuletzt aktualisiert
library-apply = Anwenden
library-no-match = Nichts in deiner Bibliothek passt zu „{ $q }“
library-clear-search = Suche löschen
library-hidden-title = Ausgeblendet
library-none-hidden = Du hast nichts ausgeblendet.
library-show-hidden = { $count ->
    [one] { $count } ausgeblendeten Titel zeigen
   *[other] { $count } ausgeblendete Titel zeigen
}
library-show-visible = Zurück zur Bibliothek
# Variables: $name (String): the name of the listing, read aloud only.
copy-hide = Ausblenden<hidden>: { $name }</hidden>
copy-unhide = Wieder einblenden<hidden>: { $name }</hidden>
copy-remove = Entfernen<hidden>: { $name }</hidden>
copy-remove-text = Entfernt { $name } aus deiner Bibliothek und löscht deine Rezension und deine Tags dazu. Du kannst es wieder hinzufügen, solange es kostenlos ist.
copy-remove-text-gift = Entfernt { $name } aus deiner Bibliothek und löscht deine Rezension und deine Tags dazu. Du bekommst es nur zurück, solange es kostenlos ist oder wenn es dir noch einmal geschenkt wird.
copy-remove-text-bought = Du hast { $name } gekauft. Dies entfernt es aus deiner Bibliothek und löscht deine Rezension und deine Tags dazu. Du bekommst kein Geld zurück und müsstest es noch einmal kaufen.
copy-remove-confirm = Aus der Bibliothek entfernen
copy-is-hidden = Ausgeblendet. Du findest es am Ende deiner Bibliothek.
copy-is-visible = Wieder in deiner Bibliothek.
copy-removed = Aus deiner Bibliothek entfernt.
copy-free = Kostenlos seit { $date }
copy-granted = Geschenkt am { $date }
copy-gift = Geschenk von { $giver }, { $date }
library-adult-gifts = { $count ->
    [one] { $count } Geschenk mit Inhalten für Erwachsene wird nicht angezeigt. <link>Einstellungen</link>
   *[other] { $count } Geschenke mit Inhalten für Erwachsene werden nicht angezeigt. <link>Einstellungen</link>
}
copy-bought = Gekauft am { $date }
bug-fixed = <strong>Behoben in { $release }</strong>, { $date }. Du hattest gemeldet:
dismiss = Ausblenden

## Schlüssel

player-keys = Spieler-Schlüssel
player-keys-text = Für Launcher, Editoren und Skripte, die in deinem Namen spielen und herunterladen. Ein widerrufener Schlüssel funktioniert nach spätestens einer Sekunde nicht mehr.
agent-keys = Agenten-Schlüssel
agent-keys-text = Für Programme und KI-Agenten, die an deinen Projekten arbeiten. Ein widerrufener Schlüssel funktioniert nach spätestens einer Sekunde nicht mehr.
agent-keys-need-developer = Für Agenten-Schlüssel brauchst du den <link>Entwicklermodus</link>.
new-key-text = <strong>Kopiere diesen Schlüssel jetzt. Du siehst ihn nicht noch einmal.</strong> Wir speichern nur einen Hash davon.
create-a-key = Schlüssel erstellen
create-key = Schlüssel erstellen
key-name = Name
key-details = { $scopes } · erstellt am { $date }
key-revoked = Der Schlüssel ist widerrufen
revoke-named = Widerrufen<hidden>: { $name }</hidden>
project = Projekt
projects = Projekte
all-my-projects = Alle meine Projekte
permissions = Berechtigungen

## Verbundene Apps und Aktivität

apps = Verbundene Apps
apps-text = Diese Apps handeln für dich, bis ihr Zugriff abläuft oder du ihn widerrufst. Beim Widerrufen enden ihre Tokens sofort.
apps-none = Keine Apps. Eine App, die für dich handeln möchte, fragt dich auf einer Seite dieser Website.
unnamed-app = App ohne Namen
app-only-project = nur { $project }
app-only-one-project = nur ein Projekt
app-dates = verbunden am { $connected }, gültig bis { $expires }
app-revoked = Der Zugriff der App ist widerrufen
activity-title = Aktivität von Schlüsseln und Apps
activity = Aktivität
activity-text = Alle Aufrufe der letzten { $days } Tage, die neuesten zuerst, auch abgelehnte.
activity-none = Keine Aktivität in den letzten { $days } Tagen.
activity-time = Zeit
activity-key = Schlüssel oder App
activity-call = Aufruf
activity-status = Status

## Profil

profile = Profil
profile-text = Was du hier schreibst, steht auf <link>deiner Seite</link>, sobald du etwas veröffentlicht oder dein Profil öffentlich gemacht hast.
profile-about = Text und Links
profile-bio = Über dich
profile-bio-hint = Markdown: Listen, Links, Hervorhebungen.
profile-links = Links
profile-links-hint = Einer pro Zeile, beginnend mit https://. Höchstens { $max }.
profile-public = Mein Profil öffentlich machen
profile-public-hint = Alle können deine Seite öffnen, und in deinen Rezensionen führt dein Name dorthin.
profile-save = Profil speichern
profile-saved = Dein Profil ist gespeichert
profile-edit = Profil bearbeiten
profile-avatar = Avatar
profile-avatar-text = Zu sehen in deinem Menü und dort, wo dein Profil öffentlich ist: auf deiner Seite, in der Suche und neben deinen Rezensionen.
profile-avatar-hint = Quadratisch, mindestens { $min } Pixel, PNG, JPEG oder WebP, bis zu { $bytes }. Bei anderen Formaten wird die Mitte verwendet.
profile-avatar-none = Ohne Bild werden deine Initialen angezeigt.
profile-banner = Banner
profile-banner-text = Das breite Bild oben auf deiner Seite.
profile-banner-hint = Viermal so breit wie hoch, mindestens { $min } Pixel, PNG, JPEG oder WebP, bis zu { $bytes }. Bei anderen Formaten wird die Mitte verwendet.
profile-banner-alt = Das Banner deiner Seite
profile-image-saved = Bild gespeichert
profile-image-removed = Bild entfernt

# Das Konto einer Person: Anmeldung, Einstellungen, Bibliothek und Schlüssel.

## Anmelden und registrieren

login-name = Benutzername oder E-Mail-Adresse
password = Passwort
username = Benutzername
email = E-Mail-Adresse
forgot-password = Passwort vergessen?
login-new-here = Neu hier? <link>Erstelle ein Konto</link>. Manche kostenlosen Spiele kannst du auch ohne Konto herunterladen.
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
code-text = Wir schicken dir per E-Mail einen sechsstelligen Code. Gib ihn hier ein.
code-sent-text = Wir haben dir eine E-Mail mit einem sechsstelligen Code geschickt. Das kann eine Minute dauern. Sieh auch im Spam-Ordner nach. Der Code gilt zehn Minuten lang.
code-sent = Wir haben dir einen Code geschickt
six-digit-code = Sechsstelliger Code
send-code = Code senden
send-another-code = Neuen Code senden
verify = Bestätigen
later = Später

## Einstellungen

account = Konto
change-by-email = Per E-Mail ändern
publishing = Veröffentlichen
developer-mode-on = Der Entwicklermodus ist eingeschaltet. <link>Zum Dashboard</link>
developer-mode-is-on = Der Entwicklermodus ist eingeschaltet
developer-mode-is-off = Der Entwicklermodus ist ausgeschaltet
developer-mode-turn-off = Entwicklermodus ausschalten
developer-mode-text = Schalte den Entwicklermodus ein, um Projekte anzulegen, Builds hochzuladen und zu veröffentlichen.
developer-terms = Ich akzeptiere die Bedingungen für Entwickler: Ich darf veröffentlichen, was ich hochlade, es schadet niemandem, und seine Seite beschreibt es ehrlich.
developer-terms-first = Akzeptiere zuerst die Bedingungen für Entwickler
become-developer = Entwickler werden
adult-shown-text = Seiten mit sexuellen Inhalten oder Nacktheit werden dir gezeigt.
adult-hidden-text = Seiten mit sexuellen Inhalten oder Nacktheit sind ausgeblendet.
adult-hide = Inhalte für Erwachsene ausblenden
external-store-account = Konto im externen Store
link-account-text = Verknüpfe dein Konto im externen Store, damit Spiele dich an beiden Orten erkennen.
link-account = Konto verknüpfen
linked-account = Verknüpft: { $account }
unlink-account = Verknüpfung aufheben
account-linked = Das Konto ist verknüpft
account-unlinked = Die Verknüpfung ist aufgehoben

## Bibliothek

library-empty = Deine Bibliothek ist leer
library-empty-text = Spiele, die du angemeldet herunterlädst, bleiben hier, mit allen Updates.
library-no-downloads = Im Moment keine Downloads.
copy-free = Kostenlos seit { $date }
copy-granted = Geschenkt am { $date }
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
profile-bio = Über dich
profile-bio-hint = Markdown: Listen, Links, Hervorhebungen.
profile-links = Links
profile-links-hint = Einer pro Zeile, beginnend mit https://. Höchstens { $max }.
profile-public = Mein Profil öffentlich machen
profile-public-hint = Alle können deine Seite öffnen, und in deinen Rezensionen führt dein Name dorthin.
profile-save = Profil speichern
profile-saved = Dein Profil ist gespeichert
profile-edit = Profil bearbeiten

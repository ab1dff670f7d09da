# Die Sicherheit eines Kontos: zweite Faktoren und frische Nachweise.

nav-security = Sicherheit
second-factor-required = Dieser Store verlangt von dir einen zweiten Faktor, bevor es weitergeht. Wähle unten einen aus.
confirm = Bestätigen

## Der zweite Schritt der Anmeldung

second-step-title = Zweiter Schritt
second-step-text = Dieses Konto hat einen zweiten Faktor. Gib den aktuellen Code deiner Authenticator-App ein.
second-step-code = Code
second-step-hint = Sechs Ziffern aus deiner Authenticator-App oder ein Wiederherstellungscode.

## Ein frischer Nachweis

confirm-title = Bestätige, dass du es bist
confirm-text = Der nächste Schritt braucht einen frischen Nachweis, dass du es bist. Er gilt zehn Minuten.
confirm-or-password = Oder nimm dein Passwort:
confirm-done = Danke, das stimmt

## Authenticator-App

totp = Authenticator-App
totp-off-text = Schütze dein Konto mit einem zweiten Schritt: einem Code aus einer App auf deinem Telefon, der sich alle 30 Sekunden ändert.
totp-on-text = Eingeschaltet seit { $date }. Zum Anmelden brauchst du einen Code aus deiner App.
totp-set-up = Authenticator-App einrichten
totp-scan = Scanne diesen Code mit deiner Authenticator-App.
totp-qr = QR-Code des Geheimnisses
totp-open = App auf diesem Gerät öffnen
totp-type = Oder tippe dieses Geheimnis in die App:
totp-turn-on = Einschalten
totp-remove = App entfernen
totp-remove-text = Danach meldest du dich nur noch mit deinem Passwort an, und deine Wiederherstellungscodes gelten nicht mehr.
totp-removed = Die Authenticator-App ist entfernt

## Wiederherstellungscodes

recovery-codes = Wiederherstellungscodes
recovery-codes-left = { $count } von { $all } Codes sind übrig. Jeder ersetzt einmal einen Code deiner App.
recovery-codes-new = Neue Codes erstellen
recovery-codes-save = Bewahre diese Codes dort auf, wo du sie ohne dein Telefon findest. Jeder gilt einmal anstelle eines Codes deiner App. Sie werden nur jetzt angezeigt.
recovery-codes-saved = Ich habe sie gesichert

## Passkeys

passkeys = Passkeys
passkeys-text = Melde dich mit Fingerabdruck, Gesicht oder Geräte-PIN statt mit einem Passwort an. Einen Passkey kann niemand erraten oder abfangen.
passkey-add = Passkey hinzufügen
passkey-add-text = Dein Browser fragt, welches Gerät oder welcher Passwortmanager den Passkey aufbewahrt.
passkey-create = Passkey erstellen
passkey-name = Name
passkey-name-hint = Woran du ihn erkennst, etwa das Gerät, das ihn aufbewahrt.
passkey-used = Hinzugefügt { $added }, zuletzt benutzt { $used }
passkey-unused = Hinzugefügt { $added }, noch nicht benutzt
passkey-rename = Umbenennen
passkey-remove = Entfernen
passkey-remove-text = Du kannst dich dann nicht mehr mit ihm anmelden. Lösche ihn auch auf deinem Gerät oder im Passwortmanager.
passkey-added = Der Passkey ist hinzugefügt
passkey-renamed = Der Passkey ist umbenannt
passkey-removed = Der Passkey ist entfernt
passkey-sign-in = Mit Passkey anmelden
passkey-confirm = Mit Passkey bestätigen
passkey-failed = Es wurde kein Passkey benutzt. Versuche es noch einmal oder wähle einen anderen Weg.
passkey-needs-script = Passkeys brauchen JavaScript.
second-step-passkey-text = Dieses Konto hat einen zweiten Faktor. Benutze deinen Passkey oder gib einen Wiederherstellungscode ein.

## Zurücksetzen durch den Betrieb

reset-title = Zurücksetzen deines zweiten Faktors
reset-waits = Der Betrieb des Stores wird deinen zweiten Faktor am { $time } UTC entfernen. Danach reicht dein Passwort allein, um dich anzumelden.
reset-stop-text = Stoppe das, wenn du nicht darum gebeten hast oder es nicht mehr brauchst.
reset-link-text = Der Betrieb des Stores wird den zweiten Faktor deines Kontos entfernen. Wenn du nicht darum gebeten hast oder es nicht mehr brauchst, stoppe es jetzt.
reset-stop = Zurücksetzen stoppen
reset-continue = Weiter, ohne es zu stoppen
reset-stopped = Das Zurücksetzen ist gestoppt. Dein zweiter Faktor bleibt.
reset-none = Dein zweiter Faktor wird nicht zurückgesetzt

## Security events

security-events = Sicherheitsereignisse
security-events-panel = Anmeldungen, Fehlversuche und Änderungen an Passwort, Adresse, zweitem Faktor, Schlüsseln und Rollen.
security-events-show = Sicherheitsereignisse zeigen
# Variables: $days (Number).
security-events-text = Was in den letzten { $days } Tagen an der Sicherheit deines Kontos geschehen ist. Wenn etwas davon nicht von dir war, ändere dein Passwort.
project-events-about = Änderungen an Schlüsseln, Webhook-Geheimnissen und Personen dieses Projekts.
# Variables: $days (Number).
project-events-text = Was in den letzten { $days } Tagen an Schlüsseln, Geheimnissen und Personen dieses Projekts geändert wurde. Das siehst nur du, weil es dir gehört.
# Variables: $days (Number).
console-events-text = Anmeldungen, Fehlversuche und Änderungen an Konten und Projekten der letzten { $days } Tage. Niemand kann sie ändern oder löschen. Adressen sind auf ihr Netz gekürzt.
events-none = Keine Ereignisse
events-all = Alle Ereignisse zeigen
event-time = Zeit (UTC)
event-kind = Ereignis
event-account = Konto
event-actor = Wer
event-device = Gerät
event-network = Netz
event-any-kind = Jedes Ereignis
event-from = Von
event-to = Bis
event-actor-visitor = Jemand ohne Anmeldung
event-actor-person = Jemand vom Betrieb des Stores
event-actor-command-line = Die Administration des Servers
event-actor-service = Der Store
event-by-password = Mit dem Passwort
event-by-passkey = Mit einem Passkey
event-by-registration = Nach der Registrierung
event-by-code = Mit einem Code der App
event-by-recovery-code = Mit einem Wiederherstellungscode
event-player-key = Spieler-Schlüssel
event-agent-key = Agenten-Schlüssel
event-sign-in = Angemeldet
event-sign-in-failed = Anmeldung fehlgeschlagen
event-second-step-used = Zweiter Schritt bestanden
event-second-step-failed = Zweiter Schritt fehlgeschlagen
event-step-up = Erneut bestätigt
event-step-up-failed = Bestätigung fehlgeschlagen
event-sessions-ended = Sitzungen vom Betrieb beendet
event-password-changed = Passwort geändert
event-password-reset-requested = Zurücksetzen des Passworts angefordert
event-password-reset = Passwort über einen Link per Mail zurückgesetzt
event-email-changed = E-Mail-Adresse geändert
event-email-change-undone = Änderung der E-Mail-Adresse rückgängig gemacht
event-totp-added = Authenticator-App eingerichtet
event-totp-removed = Authenticator-App entfernt
event-passkey-added = Passkey hinzugefügt
event-passkey-removed = Passkey entfernt
event-recovery-codes-replaced = Wiederherstellungscodes ersetzt
event-second-factor-reset = Zweiter Faktor vom Store entfernt
event-second-factor-reset-requested = Zurücksetzen des zweiten Faktors beantragt
event-second-factor-reset-stopped = Zurücksetzen des zweiten Faktors gestoppt
event-second-factor-reset-applied = Zweiter Faktor zurückgesetzt
event-key-created = Schlüssel erstellt
event-key-revoked = Schlüssel widerrufen
event-deploy-key-created = Deploy-Schlüssel erstellt
event-deploy-key-revoked = Deploy-Schlüssel widerrufen
event-webhook-secret-created = Signaturschlüssel für Webhooks erstellt
event-webhook-secret-shown = Signaturschlüssel für Webhooks angezeigt
event-grant-created = App verbunden
event-grant-revoked = App getrennt
event-upload-ended = Upload abgebrochen
event-approval-ended = Freigabe beendet
event-admin-invited = Als Admin eingeladen
event-admin-joined = Admin geworden
event-admin-removed = Admin entfernt
event-operator-added = Zum Betrieb hinzugefügt
event-operator-removed = Aus dem Betrieb entfernt
event-moderator-added = Zur Moderation hinzugefügt
event-moderator-removed = Aus der Moderation entfernt
event-account-created = Konto erstellt
event-account-exported = Kontodaten exportiert
event-account-deleted = Konto gelöscht
event-listing-deleted = Projekt gelöscht

## Sitzungen

device-name = { $browser } auf { $system }
device-unknown = Unbekanntes Gerät
sessions = Sitzungen
sessions-panel-text = Alle Browser und Programme, die mit deinem Konto angemeldet sind.
sessions-view = Sitzungen ansehen
sessions-text = Hier bist du angemeldet. Wenn du eine Sitzung nicht erkennst, beende sie und <link>ändere dein Passwort</link>.
session-current = Diese Sitzung
session-place = { $country } · Netz { $network }
session-network = Netz { $network }
session-times = Angemeldet am { $opened }, zuletzt benutzt am { $used } UTC
session-end = Sitzung beenden<hidden>: { $device }</hidden>
session-ended = Die Sitzung ist beendet
sessions-end-others = Alle anderen Sitzungen beenden
sessions-end-others-text = Hier bleibst du angemeldet. Überall sonst meldest du dich neu an. Schlüssel und verbundene Apps funktionieren weiter.
sessions-ended = Alle anderen Sitzungen sind beendet

# E-Mails. Sie sind reiner Text; nach einer Adresse am Satzende steht kein Punkt.

## Code für eine E-Mail-Adresse

mail-code-subject = { $code } ist dein Code für { $store }
mail-code = Dein Code lautet { $code }
mail-code-enter = Gib ihn auf der Seite ein, auf der du ihn angefordert hast, oder öffne { $url }
mail-code-expires = { $minutes ->
    [one] Der Code gilt { $minutes } Minute. Wenn du ihn nicht angefordert hast, kannst du diese E-Mail ignorieren.
   *[other] Der Code gilt { $minutes } Minuten. Wenn du ihn nicht angefordert hast, kannst du diese E-Mail ignorieren.
}

mail-email-change = Diese Adresse wurde als neue Adresse eines Kontos bei { $store } angegeben.
mail-email-changed-subject = Die E-Mail-Adresse deines Kontos bei { $store } wurde geändert
mail-email-changed = Dein Konto { $username } bei { $store } hat eine neue E-Mail-Adresse. An diese gehen keine E-Mails mehr.
mail-email-changed-undo = Wenn du das nicht warst, mach die Änderung rückgängig auf { $url }
mail-email-changed-undo-until = Der Link gilt bis { $time } UTC. Das Konto bekommt diese Adresse zurück, alle Sitzungen enden, und du erhältst einen Link, um ein neues Passwort zu wählen.
mail-email-changed-not-you = Wenn du das nicht warst, melde dich als { $username } an und ändere erst dein Passwort, dann die Adresse: { $url }

## Passwort

mail-reset-subject = Setze dein Passwort für { $store } zurück
mail-reset = Jemand hat angefordert, das Passwort deines Kontos bei { $store } zurückzusetzen.
mail-reset-open = Um ein neues Passwort zu wählen, öffne { $url }
mail-reset-expires = { $minutes ->
    [one] Der Link funktioniert einmal und läuft in { $minutes } Minute ab. Wenn du ihn nicht angefordert hast, kannst du diese E-Mail ignorieren: Dein Passwort bleibt, wie es ist.
   *[other] Der Link funktioniert einmal und läuft in { $minutes } Minuten ab. Wenn du ihn nicht angefordert hast, kannst du diese E-Mail ignorieren: Dein Passwort bleibt, wie es ist.
}
mail-password-changed-subject = Dein Passwort für { $store } wurde geändert
mail-password-changed = Das Passwort deines Kontos { $username } bei { $store } wurde über einen Link geändert, der an diese Adresse ging. Du wurdest überall abgemeldet.
mail-password-changed-settings = Das Passwort deines Kontos { $username } bei { $store } wurde in den Einstellungen geändert. Alle anderen Sitzungen wurden beendet.
mail-password-changed-settings-not-you = Wenn du das nicht warst, setze dein Passwort zurück: { $url }
mail-password-changed-revoked = Diese Adresse war vorher nicht bestätigt. Deshalb wurden alle Schlüssel und verbundenen Apps widerrufen.
mail-password-changed-keys = Deine Schlüssel und verbundenen Apps funktionieren weiter. Überprüfe sie auf { $url }
mail-password-changed-not-you = Wenn du das nicht warst, kann jemand deine E-Mails lesen. Ändere das Passwort deines E-Mail-Kontos und setze danach dein Passwort für { $store } zurück: { $url }
mail-second-factor-subject = Der zweite Faktor deines Kontos bei { $store } wurde geändert
mail-second-factor = Der zweite Faktor deines Kontos { $username } bei { $store } wurde geändert:
mail-totp-on = Eine Authenticator-App wurde eingerichtet.
mail-totp-off = Die Authenticator-App wurde entfernt.
mail-recovery-codes = Neue Wiederherstellungscodes wurden erstellt; die alten gelten nicht mehr.
mail-passkey-added = Ein Passkey wurde hinzugefügt.
mail-passkey-removed = Ein Passkey wurde entfernt.
mail-second-factor-not-you = Wenn du das nicht warst, ändere dein Passwort und sieh unter { $url } nach.
mail-second-factor-reset-done = Er wurde zurückgesetzt, wie es der Betrieb des Stores veranlasst hat. Alle Passkeys, die Authenticator-App und die Wiederherstellungscodes wurden entfernt, und du wurdest überall abgemeldet. Du meldest dich nun allein mit deinem Passwort an.
mail-second-factor-reset-stopped = Er sollte zurückgesetzt werden, und das wurde gestoppt. Dein zweiter Faktor bleibt, wie er ist.
mail-second-factor-reset-subject = Der zweite Faktor deines Kontos bei { $store } wird zurückgesetzt
mail-second-factor-reset = Der Betrieb von { $store } wird den zweiten Faktor deines Kontos { $username } entfernen: alle Passkeys, die Authenticator-App und die Wiederherstellungscodes. Danach reicht dein Passwort allein, um dich anzumelden.
mail-second-factor-reset-time = Das geschieht am { $time } UTC.
mail-second-factor-reset-stop = Wenn du nicht darum gebeten hast, stoppe es hier: { $url }
mail-second-factor-reset-wanted = Wenn du darum gebeten hast, weil du deinen zweiten Faktor verloren hast, musst du nichts tun.

## Anmeldung auf einem neuen Gerät

mail-new-device-subject = Neue Anmeldung bei deinem Konto auf { $store }
mail-new-device = Mit deinem Konto { $username } auf { $store } hat sich jemand auf einem Gerät angemeldet, das dort noch nicht bekannt war:
mail-new-device-name = Gerät: { $device }
mail-new-device-country = Land: { $country }
mail-new-device-time = Zeit: { $time } UTC
mail-new-device-not-you = Wenn du das warst, musst du nichts tun. Wenn nicht, ändere dein Passwort und beende die Sitzung auf { $url }

## Verlust einer Rolle

mail-lost-role-subject = Ersetze die Geheimnisse von { $game }
mail-lost-role = { $username } kann nicht mehr an { $game } arbeiten. Was die Person dafür ausgestellt oder offen hatte, wurde widerrufen: Deploy-Schlüssel, Schlüssel und Apps von Agenten, Uploads und Freigaben.
mail-lost-role-deleted = Das Konto einer Person, die { $game } mitverwaltet hat, wurde gelöscht. Was sie dafür ausgestellt oder offen hatte, wurde widerrufen: Deploy-Schlüssel, Schlüssel und Apps von Agenten, Uploads und Freigaben.
mail-lost-role-deploy-key = Der Deploy-Schlüssel des Projekts war von dieser Person ausgestellt. Deine Build-Rechner können deshalb nichts mehr hochladen. Stelle einen neuen aus: { $url }
mail-lost-role-secrets = Die Person konnte Geheimnisse des Projekts lesen. Ersetze sie auf { $url }

## Freigabe

mail-approval-subject = Freigeben: { $summary }
mail-approval = Dein Agent ({ $credential }) bittet dich um eine Freigabe für { $game }:
mail-approval-agent = ein Agent
mail-approval-open = Um sie zu erteilen oder abzulehnen, öffne { $url }
mail-approval-code = Oder gib deinem Agenten diesen Code: { $code }
mail-approval-expires = { $minutes ->
    [one] Die Anfrage läuft in { $minutes } Minute ab. Wenn du sie nicht erwartet hast, lehne sie ab und widerrufe den Schlüssel oder den Zugriff des Agenten.
   *[other] Die Anfrage läuft in { $minutes } Minuten ab. Wenn du sie nicht erwartet hast, lehne sie ab und widerrufe den Schlüssel oder den Zugriff des Agenten.
}

## Deaktivierter Webhook

mail-webhook-subject = Ein Webhook für Fehlermeldungen zu { $game } wurde deaktiviert
mail-webhook-gone = Den Webhook auf { $origin }, der Fehlermeldungen zu { $game } empfängt, gibt es nicht mehr. Deshalb wurde er deaktiviert.
mail-webhook-failed = { $hours ->
    [one] Fehlermeldungen zu { $game } konnten { $hours } Stunde lang nicht an { $origin } zugestellt werden. Deshalb wurde dieser Webhook deaktiviert.
   *[other] Fehlermeldungen zu { $game } konnten { $hours } Stunden lang nicht an { $origin } zugestellt werden. Deshalb wurde dieser Webhook deaktiviert.
}
mail-webhook-error = Der letzte Fehler war: { $error }.
mail-webhook-nothing-lost = Es ging keine Meldung verloren. In den Einstellungen für Fehlermeldungen kannst du jede Zustellung erneut senden.
mail-webhook-enable = Um den Webhook wieder zu aktivieren, speichere die Einstellungen noch einmal oder sende eine der Zustellungen erneut.

## Stabilität beim Start

mail-health-subject = { $game } { $version } startet schlechter: { $band }
mail-health = { $game } { $version } startet schlechter als { $previous }. Die Stabilität beim Start ist { $band }; die von { $previous } ist { $previous_band }.
mail-health-devices = Geräte in den letzten { $days } Tagen: { $count }
mail-health-started = Spiel gestartet: { $count }
mail-health-crashed = Vor dem Start abgestürzt: { $count }
mail-health-next = Um die Ursache zu finden, öffne die Absturzberichte dieses Builds. Um zur vorherigen Version zurückzukehren, setze den Kanal „stable“ zurück.

## Ein neuer Fund in einer verfügbaren Datei

mail-rescan-subject = Vom Virenscanner abgelehnt: { $filename } von { $game }
mail-rescan = Der Virenscanner von { $store } hat neue Signaturen und hat das in der Datei { $filename } von { $game } { $version } gefunden. Die Datei kann nicht mehr heruntergeladen werden.
mail-rescan-owner = Prüfe deinen Build und lade eine saubere Datei hoch: { $url }
mail-rescan-team = Der Eigentümer weiß Bescheid. Du findest die Datei auf { $url }

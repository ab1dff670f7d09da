# Fehlermeldungen zu einem Projekt und das Melden von Fehlern im Spiel.

## Fehlermeldungen

tickets = Fehlermeldungen
tickets-by-status = Fehlermeldungen nach Status
tickets-open = Offen
tickets-fixed = Behoben
tickets-closed = Geschlossen
tickets-none = Noch keine Fehlermeldungen
tickets-none-text = Wer ein Exemplar besitzt, kann auf deiner Seite Fehler melden. Wenn du das Melden im Spiel unten einschaltest, geht das auch direkt aus dem Spiel.
tickets-none-open = Keine offenen Fehlermeldungen.
tickets-none-fixed = Keine behobenen Fehlermeldungen.
tickets-none-closed = Keine geschlossenen Fehlermeldungen.
ticket-external-player = ein Spieler des externen Stores
ticket-unknown-version = unbekannte Version
ticket-version-on = { $version } auf { $system }
ticket-with-log = mit Protokoll

## Fehlermeldung

ticket = Fehlermeldung
ticket-report = Meldung
ticket-log = Protokoll
ticket-triage = Bearbeitung
ticket-screenshot = Screenshot, der mit der Meldung gesendet wurde
ticket-reported-by = Gemeldet von
ticket-external-account = externes Konto { $id }
ticket-sent-from = Gesendet
ticket-from-game = aus dem Spiel
ticket-from-page = von der Seite im Store
ticket-unknown = unbekannt
ticket-fixed = Behoben
ticket-fixed-text = { $has_version ->
    [yes] { $is_seen ->
        [yes] { $date } in { $version }, vom Spieler gelesen
       *[no] { $date } in { $version }, vom Spieler noch nicht gelesen
    }
   *[no] { $is_seen ->
        [yes] { $date }, vom Spieler gelesen
       *[no] { $date }, vom Spieler noch nicht gelesen
    }
}
ticket-fixed-version = Behoben in Version
ticket-fixed-hint = Wer den Fehler gemeldet hat, wird benachrichtigt.
ticket-mark-fixed = Als behoben markieren
ticket-marked-fixed = Als behoben markiert
ticket-close = Ohne Nachricht schließen
ticket-closed = Fehlermeldung geschlossen
ticket-reopened = Fehlermeldung wieder geöffnet
ticket-related-crash = Zugehöriger Absturz
ticket-no-crash = Keiner
ticket-save-crash = Speichern
ticket-crash-saved = Zugehöriger Absturz gespeichert

## Fehler im Spiel melden

bug-reporter = Fehler im Spiel melden
bug-reporter-text = Anfangs ausgeschaltet. Auf der Seite im Store können Spieler immer Fehler melden.
bug-reporter-enabled = Spieler können Fehler direkt im Spiel melden
bug-reporter-cap = Meldungen pro Spieler und Tag
bug-reporter-webhooks = Webhooks, höchstens { $max }
bug-reporter-webhooks-hint = Eine https-Adresse pro Zeile. Jede neue Fehlermeldung wird signiert an alle gesendet.
bug-reporter-save = Einstellungen speichern
bug-reporter-saved = Einstellungen gespeichert
signing-key = Signaturschlüssel
signing-key-text = Damit prüfst du, ob ein Webhook von diesem Store gesendet wurde.
signing-key-replace = Webhooks und Links zu Screenshots, die mit dem alten Schlüssel signiert sind, gelten nicht mehr. Stelle deine Empfänger sofort um.
webhook = Webhook
webhook-deliveries = Zustellungen an Webhooks
webhook-attempts = Versuche
webhook-send-again = Erneut senden
webhook-queued = Zustellung eingeplant
webhook-pending = { $count ->
    [one] { $count } Zustellung ausstehend
   *[other] { $count } Zustellungen ausstehend
}
webhook-gone = Die Antwort war { $status }; der Webhook wurde im Chatdienst gelöscht
webhook-redirects = Die Antwort war { $status }; Weiterleitungen werden nicht verfolgt, trag also die endgültige Adresse ein
webhook-answered = Die Antwort war { $status }
webhook-timeout = { $seconds ->
    [one] Keine vollständige Antwort innerhalb von { $seconds } Sekunde
   *[other] Keine vollständige Antwort innerhalb von { $seconds } Sekunden
}
webhook-no-host = Der Host von { $origin } hat keine Adresse
webhook-blocked = { $origin } hat eine Adresse, die nicht öffentlich ist
webhook-failed = Die Verbindung mit { $origin } ist gescheitert ({ $code })
webhook-disabled = Die Adresse wurde abgeschaltet

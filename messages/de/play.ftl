# Ein Spiel im Browser spielen.

play-title = { $name } spielen
play-here = Im Browser spielen
play-start = Spielen
play-full-screen = Vollbild
play-leave-full-screen = Vollbild verlassen
play-needs-script = Zum Spielen braucht es JavaScript. Erlaube es für diese Seite, oder lade das Spiel herunter.
play-no-webgl = Dein Browser hat kein WebGL 2, das die meisten Spiele brauchen. Vielleicht startet das Spiel nicht; nimm einen anderen Browser, oder schalte die Hardwarebeschleunigung ein.
play-no-threads = Dein Browser erlaubt dieser Seite keine Threads, die dieses Spiel vielleicht braucht. Öffne die Seite in einem eigenen Tab, oder nimm einen anderen Browser.
play-no-wasm = Dein Browser hat kein WebAssembly, deshalb kann das Spiel hier nicht starten. Nimm einen anderen Browser.
play-not-isolated = Dieses Spiel läuft ohne Threads, weil seine Entwickler sie ausgeschaltet haben.
play-connections = { $count ->
    [one] Dieses Spiel spricht mit einem anderen Server
   *[other] Dieses Spiel spricht mit { $count } anderen Servern
  }
play-not-set-up = Dieser Store kann Spiele noch nicht im Browser zeigen. Du kannst das Spiel herunterladen.
play-sign-in = Melde dich an, um dieses Spiel zu spielen.
play-purchase = Um dieses Spiel zu spielen, brauchst du ein Exemplar davon.
play-embed = Dieses Spiel auf deiner Website zeigen
play-embed-text = Diese Adresse öffnet immer den neuesten Build. Spiele mit Threads haben sie dort nur, wenn auch deine Website isoliert ist (cross-origin isolated).
play-to-listing = Zurück zur Seite des Spiels

## Die Seite zum Spielen
play-loading = Wird geladen
play-loaded-of = { $done } von { $total } geladen
play-ios-size = Dieses Spiel ist groß. Browser auf iPhones und iPads beenden Seiten dieser Größe oft; versuch es an einem Computer.
play-request-failed = Das hat nicht geklappt. Prüfe deine Verbindung und versuch es noch einmal.
play-share = Dieses Spiel darf wissen, wer du bist
play-share-hint = Das Spiel erfährt deinen Benutzernamen und kann deine Spielstände in deinem Konto ablegen. Du kannst das hier oder in deinen <link>Einstellungen</link> ändern.
play-share-save = Auswahl speichern
play-share-sign-in = <link>Melde dich an</link>, um deine Spielstände in deinem Konto abzulegen, wenn das Spiel das kann.
play-shared = Dieses Spiel weiß jetzt, wer du bist.
play-not-shared = Dieses Spiel erfährt nicht mehr, wer du bist. Was es schon weiß, endet innerhalb von zehn Minuten.
play-report-bug = Fehler melden
play-screenshot = Bildschirmfoto
play-screenshot-hint = Gesendet wird nur, was du auswählst.
play-screenshot-take = Bildschirmfoto aufnehmen
play-bug-close = Zurück zum Spiel

## Spiele im Browser, im Konto
played-games = Spiele im Browser
played-games-text = Spiele, die wissen dürfen, wer du bist, und die Spielstände, die sie in deinem Konto ablegen.
played-games-none = Kein Spiel im Browser weiß, wer du bist, und keines legt Spielstände in deinem Konto ab.
played-games-shared = Weiß seit { $date }, wer du bist.
played-games-not-shared = Weiß nicht, wer du bist.
played-games-withdraw-named = Nicht mehr teilen<hidden> mit { $name }</hidden>
played-games-withdrawn = { $name } erfährt nicht mehr, wer du bist.
played-games-saves = Spielstände
played-games-slot = Platz
played-games-size = Größe
played-games-saved-at = Gespeichert
played-games-versions = Fassungen
played-games-download = Herunterladen
played-games-delete = Spielstände löschen
played-games-delete-text = Alle Spielstände von { $name } in deinem Konto werden gelöscht. Spielstände in diesem Browser bleiben.
played-games-deleted = Deine Spielstände von { $name } sind gelöscht.

## Einstellungen eines Projekts zum Spielen
play-settings = Im Browser spielen
play-settings-text = Diese Einstellungen gelten für deine Builds für das Web.
play-settings-origins = Andere Server
play-settings-origins-hint = Einer pro Zeile, höchstens zehn, etwa https://api.example oder wss://rooms.example:8443. Das Spiel darf mit ihnen sprechen; Spieler sehen die Liste.
play-settings-orientation = Haltung des Geräts
play-orientation-any = Beliebig
play-orientation-landscape = Querformat
play-orientation-portrait = Hochformat
play-settings-embeddable = Andere Websites dürfen das Spiel in einem Rahmen zeigen
play-settings-save = Einstellungen speichern
play-settings-saved = Die Einstellungen sind gespeichert.
play-settings-sdk = Um zu wissen, wer spielt, Spielstände im Konto abzulegen und zu messen, wie zuverlässig das Spiel startet, nimm das <link>Play-SDK</link> in deinen Build auf.

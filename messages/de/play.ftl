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
play-to-listing = Zurück zur Seite des Spiels

# Playing a game in the browser.

# Variables: $name (String): the name of a game.
play-title = Play { $name }
play-here = Play in the browser
play-start = Play
play-full-screen = Full screen
play-leave-full-screen = Leave full screen
play-needs-script = Playing needs JavaScript. Turn it on for this site, or download the game.
play-no-webgl = Your browser has no WebGL 2, which most games need. The game may not start; try another browser, or turn on hardware acceleration.
play-no-threads = Your browser does not let this page use threads, which this game may need. Open the page in a tab of its own, or try another browser.
play-no-wasm = Your browser has no WebAssembly, so this game cannot start here. Try another browser.
play-not-isolated = This game runs without threads, because its developer turned them off.
# Variables: $count (Number): how many servers.
play-connections = { $count ->
    [one] This game talks to another server
   *[other] This game talks to { $count } other servers
  }
play-not-set-up = This store cannot show games in the browser yet. You can download the game.
play-sign-in = Sign in to play this game.
play-purchase = You need a copy of this game to play it.
play-to-listing = Back to the page of the game

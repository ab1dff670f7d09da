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
play-embed = Put this game on your site
play-embed-text = This address always opens the newest build. Games that use threads have them there only if your site is cross-origin isolated as well.
play-to-listing = Back to the page of the game

## The player page
play-loading = Loading
# Variables: $done (String), $total (String): sizes, such as 12 MiB.
play-loaded-of = { $done } of { $total } loaded
play-ios-size = This game is large. Browsers on iPhones and iPads often stop pages of this size; try it on a computer.
play-request-failed = That did not work. Check your connection and try again.
play-share = Let this game know who you are
play-share-hint = The game learns your username, and can keep your saves in your account. You can change this here or in your <link>settings</link>.
play-share-save = Save choice
play-share-sign-in = <link>Sign in</link> to keep your saves in your account, in games that support it.
play-shared = This game now knows who you are.
play-not-shared = This game no longer learns who you are. What it knows already ends within ten minutes.
play-report-bug = Report a bug
play-screenshot = Screenshot
play-screenshot-hint = Only what you choose is sent.
play-screenshot-take = Take a screenshot
play-bug-close = Back to the game

## Games in the browser, in the account
played-games = Games in the browser
played-games-text = Games that you let know who you are, and the saves that they keep in your account.
played-games-none = No game in the browser knows who you are, and none keeps saves in your account.
played-games-shared = Knows who you are since { $date }.
played-games-not-shared = Does not know who you are.
# Variables: $name (String): the name of a game.
played-games-withdraw-named = Stop sharing<hidden> with { $name }</hidden>
played-games-withdrawn = { $name } no longer learns who you are.
played-games-saves = Saves
played-games-slot = Slot
played-games-size = Size
played-games-saved-at = Saved
played-games-versions = Versions
played-games-download = Download
played-games-delete = Delete saves
# Variables: $name (String): the name of a game.
played-games-delete-text = All saves of { $name } in your account are deleted. Saves in this browser stay.
played-games-deleted = Your saves of { $name } are deleted.

## Play settings of a project
play-settings = Play in the browser
play-settings-text = These settings apply to your builds for the web.
play-settings-origins = Other servers
play-settings-origins-hint = One per line, at most ten, such as https://api.example or wss://rooms.example:8443. The game may talk to them; players see the list.
play-settings-orientation = How the game is held
play-orientation-any = Either way
play-orientation-landscape = Landscape
play-orientation-portrait = Portrait
play-settings-embeddable = Other websites may show the game in a frame
play-settings-save = Save play settings
play-settings-saved = The play settings are saved.
play-settings-sdk = To know who plays, keep saves in the account of the player and measure launch health, include the <link>play SDK</link> in your build.

# Bezeichnungen, deren Englisch in Tabellen des Codes steht: Felder, Werte und Erklärungen.

## Felder von Einträgen

field-asset_type = Art
field-vanity_name = Adresse
field-name = Name
field-tagline = Kurzbeschreibung
field-description = Beschreibung
field-translations = Übersetzungen
field-status = Stand
field-demo_url = Video
field-visibility = Sichtbarkeit
field-genres = Genres
field-tags = Tags
field-tone = Stimmung
field-session_bucket = Spieldauer
field-net = Mehrspieler
field-players_min = Mindestzahl der Spieler
field-players_max = Höchstzahl der Spieler
field-inputs = Eingabegeräte
field-languages = Sprachen
field-accessibility = Barrierefreiheit
field-engines = Engines
field-system_requirements = Systemanforderungen
field-content_warnings = Inhaltswarnungen
field-exclude_content_warnings = Inhaltswarnungen ausschließen
field-authorship = Urheberschaft
field-authorship_credit = Anmerkung zur Urheberschaft
field-ai_uses = Generative KI
field-license_kind = Lizenz
field-adult = Nur für Erwachsene
field-indexable = Suchmaschinen dürfen die Seite aufnehmen

## Erklärungen der Felder

hint-asset_type = Spiele, Spiel-Assets und Entwickler-Assets haben kein Hauptprodukt; es wird dann entfernt.
hint-vanity_name = Wenn du sie änderst, zieht die Seite um. Links zur alten Adresse führen noch ein Jahr lang hierher.
hint-tagline = Ein Satz für Listen und Linkvorschauen.
hint-translations = Kurzbeschreibung und Beschreibung in anderen Sprachen. Wer eine davon liest, sieht sie zuerst. Leere beide Texte, um eine Sprache zu entfernen.
hint-description = Markdown: Überschriften, Listen, Links, Hervorhebungen.
hint-demo_url = Ein Link zu einem Video an anderer Stelle. Trailer, die auf deiner Seite laufen, fügst du unter „Bilder und Trailer“ hinzu.
hint-tags = Ein Tag pro Zeile. Aus Leerzeichen werden Bindestriche.
hint-system_requirements = Was du nicht weißt, kann leer bleiben.
hint-languages = Sprachcodes wie de oder pt-BR, und wo es die Sprache jeweils gibt.
hint-engines = Ein Kurzname pro Zeile, zum Beispiel svc-engine.
hint-authorship = Wird als Hinweis gezeigt. Man kann danach filtern; auf die Reihenfolge der Suchergebnisse hat es keinen Einfluss.
hint-adult = Sexuelle Inhalte oder Nacktheit. Der Eintrag erscheint nicht auf der Startseite und in der Suche nur bei Personen, die Inhalte für Erwachsene eingeschaltet haben.

## Erklärungen von Werten

hint-draft = Du und deine Admins können die Seite öffnen
hint-owner = Nur du kannst die Seite öffnen; Admins können sie nur im Dashboard bearbeiten
hint-invisible = Alle, die den Link haben, nicht in der Suche
hint-public = Alle; dafür muss die Prüfung des Eintrags bestanden sein
hint-cc0 = Gemeinfrei
hint-cc-by = Frei nutzbar mit Namensnennung
hint-cc-by-sa = Wie CC BY; Änderungen unter derselben Lizenz
hint-paid = Erfordert eine gekaufte Lizenz
hint-source-available = Der Quelltext ist lesbar; die Nutzung ist eingeschränkt
hint-proprietary = Alle Rechte vorbehalten

## Werte

value-game = Spiel
value-application = Anwendung
value-tool = Tool
value-mod = Mod
value-plugin = Plugin
value-game_asset = Spiel-Asset
value-dev_asset = Entwickler-Asset

value-released = Erschienen
value-development = In Entwicklung
value-prototype = Prototyp

value-draft = Entwurf
value-owner = Privat
value-invisible = Nicht gelistet
value-public = Öffentlich

value-action = Action
value-adventure = Abenteuer
value-arcade = Arcade
value-card = Kartenspiel
value-casual = Gelegenheitsspiel
value-fighting = Kampfspiel
value-horror = Horror
value-idle = Idle
value-management = Management
value-platformer = Jump ’n’ Run
value-puzzle = Rätsel
value-racing = Rennspiel
value-rhythm = Rhythmus
value-roguelike = Roguelike
value-rpg = Rollenspiel
value-sandbox = Sandbox
value-shooter = Shooter
value-simulation = Simulation
value-sports = Sport
value-stealth = Stealth
value-strategy = Strategie
value-survival = Survival
value-tower-defense = Tower Defense
value-visual-novel = Visual Novel
value-educational = Lernspiel
value-utility = Hilfsprogramm
value-other = Sonstiges

value-cozy = Gemütlich
value-dark = Düster
value-funny = Lustig
value-relaxing = Entspannend
value-tense = Spannend
value-wholesome = Herzerwärmend
value-weird = Skurril
value-serious = Ernst
value-chaotic = Chaotisch

value-15m = Etwa 15 Minuten
value-1h = Etwa eine Stunde
value-3h = Etwa 3 Stunden
value-endless = Endlos

value-offline = Kein Mehrspielermodus
value-local = Lokaler Mehrspieler
value-online = Online-Mehrspieler
value-local_online = Lokaler und Online-Mehrspieler

value-keyboard_mouse = Tastatur und Maus
value-gamepad = Gamepad
value-touch = Touch
value-vr = VR
value-motion = Bewegung

value-level_minimum = Mindestens
value-level_recommended = Empfohlen
value-part_processor = Prozessor
value-part_memory = Arbeitsspeicher
value-part_graphics = Grafik
value-part_storage = Speicherplatz
value-part_notes = Hinweise
value-flag_interface = Oberfläche
value-flag_audio = Ton
value-flag_subtitles = Untertitel

value-subtitles = Untertitel
value-remappable-controls = Frei belegbare Steuerung
value-colorblind-safe = Für Farbenblinde geeignet
value-screen-reader = Screenreader wird unterstützt
value-one-handed = Einhändig spielbar
value-no-flashing = Kein Flackern
value-adjustable-difficulty = Einstellbare Schwierigkeit
value-adjustable-text-size = Einstellbare Schriftgröße
value-mono-audio = Mono-Ton
value-pause-anytime = Jederzeit pausierbar

value-violence = Gewalt
value-gore = Drastische Gewalt
value-sexual = Sexuelle Inhalte
value-nudity = Nacktheit
value-language = Derbe Sprache
value-drugs = Drogen
value-gambling = Glücksspiel
value-flashing_lights = Flackerndes Licht

value-human = Von Menschen gemacht
value-human_agent = Menschen mit KI-Agenten
value-agent_heavy = Überwiegend KI-Agenten

value-art = Grafik
value-audio = Ton
value-code = Code
value-text = Text
value-voice = Stimme
value-runtime = Beim Spielen erzeugt

value-cc0 = CC0
value-cc-by = CC BY
value-cc-by-sa = CC BY-SA
value-paid = Kostenpflichtig
value-source-available = Quelltext einsehbar
value-proprietary = Proprietär

## Werte anderer Listen

value-windows = Windows
value-macos = macOS
value-linux = Linux
value-ios = iOS
value-web = Browser
value-x86_64 = 64 Bit
value-x86 = 32 Bit
value-arm64 = ARM 64 Bit
value-universal = Universell
value-stable = Stabil
value-beta = Beta
value-scanning = Wird geprüft
value-clean = Sauber
value-infected = Infiziert
value-error = Fehler
value-withdrawn = Zurückgezogen
value-compatible = Kompatibel
value-incompatible = Nicht kompatibel
value-unknown = Unbekannt
value-standard = Standard
value-deluxe = Deluxe
value-beta_access = Beta-Zugang
value-bundle = Paket

## Wie zuverlässig ein Build startet

value-band_excellent = Startet zuverlässig
value-band_healthy = Startet gut
value-band_mixed = Startet auf den meisten Geräten
value-band_problematic = Startet oft nicht
value-band_unrated = Noch nicht bewertet
hint-band_excellent = Auf mindestens { $min_started } % der Geräte ist der neueste Build gestartet, und auf höchstens { $max_crashed } % ist er vorher abgestürzt.
hint-band_healthy = Auf mindestens { $min_started } % der Geräte ist der neueste Build gestartet, und auf höchstens { $max_crashed } % ist er vorher abgestürzt.
hint-band_mixed = Auf mindestens { $min_started } % der Geräte ist der neueste Build gestartet, und auf höchstens { $max_crashed } % ist er vorher abgestürzt.
hint-band_problematic = Auf weniger als { $min_started } % der Geräte ist der neueste Build gestartet, oder auf mehr als { $max_crashed } % ist er vorher abgestürzt.
hint-band_unrated = Bisher haben weniger als { $min_devices } Geräte den neuesten Build ausgeführt.

## Berechtigungen von Schlüsseln und Apps

hint-player-read = Deine Bibliothek sehen und was du im Store sehen darfst
hint-player-write = Für dich rezensieren, Fehler melden, Tags vorschlagen und kostenlose Spiele holen
hint-player-buy = Für dich einkaufen
hint-mcp-read = Deine Projekte sehen: Seiten, Builds, Abstürze und Statistiken
hint-mcp-write = Deine Projekte sehen und ändern: Seiten, Builds, Abstürze, Statistiken, Preise und Exemplare
hint-mcp-catalog-write = Seiten, Pressemappen und Antworten auf Rezensionen sehen und ändern
hint-mcp-build-write = Builds sehen, Kanäle umstellen und Builds aufräumen
hint-mcp-crash-read = Absturzberichte sehen
hint-mcp-bugs-read = Fehlermeldungen und die Einstellungen dafür sehen
hint-mcp-bugs-write = Fehlermeldungen und die Einstellungen dafür ändern
hint-mcp-analytics-read = Statistiken sehen
hint-mcp-keys-manage = Exemplare vergeben und sehen, welche Schlüssel es gibt und wer bei deinen Projekten mithilft
hint-mcp-money = Preise und Editionen sehen und ändern
hint-operator-read = Sehen, was der Betrieb des Stores sieht: Personen, Einträge, Meldungen, Aufgaben und Einstellungen
hint-operator-write = Alles sehen und tun, was zum Betrieb des Stores gehört: Einstellungen, Personen, Veröffentlichungen, Meldungen und Aufgaben

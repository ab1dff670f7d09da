# Die Seiten, die Betreiber schreiben, etwa die Nutzungsbedingungen, und ihre Annahme.

## Names of the pages

policy-terms = Nutzungsbedingungen
policy-privacy = Datenschutz
policy-rules = Regeln
policy-imprint = Impressum
policy-about = Über uns

## A page and its versions

policy-version = Fassung { $version }
policy-from = gilt ab { $date }
policy-version-from = Fassung { $version }, gilt ab { $date }
policy-versions = Fassungen
policy-upcoming = <link>Fassung { $version }</link> gilt ab { $date }.
policy-not-yet = Fassung { $version } gilt ab { $date }.
policy-outdated = Fassung { $version } gilt nicht. <link>Aktuelle Fassung lesen</link>.

## Editing, for operators

policies = Rechtliche Seiten
policies-text = Seiten deines Stores mit Fassungen und Daten. Sobald sie veröffentlicht sind, stehen sie in der Fußzeile. Solange es Nutzungsbedingungen gibt, werden sie bei der Registrierung angenommen, und erneut, wenn du eine neue Fassung veröffentlichst.
policy-page = Seite
policy-newest = Neueste Fassung
policy-effective = Gilt ab
policy-author = Veröffentlicht von
policy-link = Link
policy-none = Nicht veröffentlicht
policy-open = Öffnen
policy-templates = Beginne mit einer Vorlage. Sie ersetzt den Text im Formular; lass sie vor dem Veröffentlichen rechtlich prüfen.
policy-text = Text
policy-text-hint = Markdown. Jede Fassung bleibt lesbar und kann nicht geändert werden.
policy-summary = Was sich ändert
policy-summary-hint = Ein oder zwei Sätze für Menschen, die die vorige Fassung kennen.
policy-effective-hint = Heute oder bis zu ein Jahr im Voraus. Tage beginnen um Mitternacht UTC.
policy-effective-terms = Heute oder bis zu ein Jahr im Voraus. Tage beginnen um Mitternacht UTC. Ab sofort sehen alle eine Ankündigung, und ab diesem Tag müssen sie die Bedingungen annehmen, um die Website weiter zu nutzen.
policy-publish = Veröffentlichen
policy-published = Fassung { $version } ist veröffentlicht

## Refusals

rule-policy-placeholder = Ersetze oder entferne „{ $placeholder }“.
rule-policy-date = Wähle einen Tag vom { $first } bis zum { $last }.
rule-policy-changed = Inzwischen wurde eine andere Fassung veröffentlicht. Öffne die Seite erneut, um sie zu sehen.

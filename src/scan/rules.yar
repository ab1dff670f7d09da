/*
  The rules of the embedded scanner: enough to stop obvious threats and to prove that scanning works.
  Use clamd for a maintained signature feed. Patterns are much shorter than the overlap of two
  windows. The EICAR string is written as bytes, so that no scanner reports this file.
*/

rule eicar_test_file {
  strings:
    $ = { 58 35 4F 21 50 25 40 41 50 5B 34 5C 50 5A 58 35 34 28 50 5E 29 37
          43 43 29 37 7D 24 45 49 43 41 52 2D 53 54 41 4E 44 41 52 44 2D
          41 4E 54 49 56 49 52 55 53 2D 54 45 53 54 2D 46 49 4C 45 21 24 48 2B 48 2A }
  condition: any of them
}

rule coin_miner {
  strings:
    $pool = "stratum+tcp://"
    $pool_tls = "stratum+ssl://"
    $level = "donate-level"
    $name = /[Xx][Mm][Rr][Ii][Gg]/
  condition: any of ($pool*) and $level and $name
}

rule credential_dumper {
  strings:
    $one = "sekurlsa::logonpasswords"
    $two = "lsadump::sam"
    $three = "kerberos::golden"
  condition: 2 of them
}

rule reflective_loader {
  strings:
    $loader = "ReflectiveLoader"
    $stage = "metsrv.dll"
  condition: all of them
}

rule php_web_shell {
  strings:
    $ = /eval\s{0,4}\(\s{0,4}(base64_decode\s{0,4}\(\s{0,4})?\$_(POST|GET|REQUEST|COOKIE)\s{0,4}\[/
  condition: any of them
}

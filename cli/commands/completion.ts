import { type Command, type Flag, flagsOf } from '../command.ts'
import { UsageError } from '../errors.ts'
import { later, t } from '../messages.ts'

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

export const completion = (all: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: later('completion'),
  is_local: true,
  details: [later('completion-details')],
  args: [{ name: '<shell>', summary: later('completion-shell'), words: shells }],
  examples: [
    'source <(slipway completion bash)',
    'slipway completion fish > ~/.config/fish/completions/slipway.fish',
  ],
  async run({ args }) {
    const shell = shells.find((name) => name === args[0])
    if (!shell)
      throw new UsageError(
        t('completion-unknown', { shell: args[0]! }),
        t('completion-unknown-hint', { shells: shells.join(', ') }),
      )
    const script = scripts[shell](all())
    return { json: { ok: true, shell, script }, lines: [script] }
  },
})

/** What may follow the words typed so far: more words of a command, or its flags and values. */
type Step = { after: string; words: string[]; flags: Flag[] }

function stepsOf(commands: readonly Command[]): Step[] {
  const groups = [...new Set(commands.map(({ name }) => name.split(' ').slice(0, -1).join(' ')))]
  const group_steps = groups.map((after) => ({
    after,
    words: [
      ...new Set(
        commands.flatMap(({ name }) =>
          after === ''
            ? [name.split(' ')[0]!]
            : name.startsWith(`${after} `)
              ? [name.slice(after.length + 1)]
              : [],
        ),
      ),
    ],
    flags: flagsOf(undefined),
  }))
  return [
    ...group_steps,
    ...commands.map((command) => ({
      after: command.name,
      words: (command.args ?? []).flatMap(({ words }) => [...(words ?? [])]),
      flags: flagsOf(command),
    })),
  ]
}

const offeredWords = ({ words, flags }: Step) => [...words, ...flags.map(({ name }) => `--${name}`)]
const wordFlags = (steps: Step[]) => [
  ...new Map(
    steps.flatMap(({ flags }) =>
      flags.filter(({ words }) => words).map((flag) => [flag.name, flag.words!]),
    ),
  ),
]

const bashCase = (step: Step) => `    "${step.after}") offered="${offeredWords(step).join(' ')}" ;;`

const scripts: Record<(typeof shells)[number], (commands: readonly Command[]) => string> = {
  bash(commands) {
    const steps = stepsOf(commands)
    return `# completion of slipway for bash
_slipway() {
  local words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD at="" word offered=""
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local known="${steps.map(({ after }) => `|${after}|`).join(' ')}"
  case "$before" in
${wordFlags(steps)
  .map(
    ([name, words]) =>
      `    --${name}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current")); return ;;`,
  )
  .join('\n')}
    --*file|--asset|--images|--files|--symbols|--dir)
      COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  for word in "\${words[@]:1:$((cword - 1))}"; do
    [[ "$known" == *"|\${at:+$at }$word|"* ]] && at="\${at:+$at }$word"
  done
  case "$at" in
${steps.map(bashCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
  [[ "$current" == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _slipway slipway`
  },
  zsh: (commands) => `#compdef slipway
autoload -U +X bashcompinit && bashcompinit
${scripts.bash(commands)}`,
  fish(commands) {
    const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`
    const lines = commands.flatMap((command) => {
      const words = command.name.split(' ')
      const first = words[0]!
      const seen = `__fish_seen_subcommand_from ${words.at(-1)}`
      const unseen =
        words.length > 1 ? `__fish_seen_subcommand_from ${first}` : '__fish_use_subcommand'
      const group =
        words.length > 1 ? [`complete -c slipway -f -n __fish_use_subcommand -a ${first}`] : []
      const own = (command.flags ?? []).map(({ name, value, summary, words: choices }) => {
        const takes = value ? ` -r${choices ? `f -a ${quoted(choices.join(' '))}` : ''}` : ''
        return `complete -c slipway -n ${quoted(seen)} -l ${name}${takes} -d ${quoted(summary())}`
      })
      return [
        ...group,
        `complete -c slipway -n ${quoted(unseen)} -a ${words.at(-1)} ` +
          `-d ${quoted(command.summary())}`,
        ...own,
      ]
    })
    const everywhere = flagsOf(undefined).map(
      ({ name, value, summary }) =>
        `complete -c slipway -l ${name}${value ? ' -r' : ''} -d ${quoted(summary())}`,
    )
    return ['# completion of slipway for fish', ...new Set(lines), ...everywhere].join('\n')
  },
  powershell(commands) {
    const rows = stepsOf(commands).map((step) => {
      const quoted = offeredWords(step).map((word) => `'${word}'`)
      return `    '${step.after}' = @(${quoted.join(', ')})`
    })
    return `# completion of slipway for PowerShell
Register-ArgumentCompleter -Native -CommandName slipway -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $known = @{
${rows.join('\n')}
  }
  $at = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    $next = ("$at " + $element.ToString()).Trim()
    if ($known.ContainsKey($next)) { $at = $next }
  }
  $known[$at] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`
  },
}

import { type DoctorCode, doctorCodes, type DoctorCodeSpec, doctorFamilies } from '@fleet/contract'
import { page, table } from './markdown.ts'

/** `doctor.md`: every code of a report, what it means and what makes it go. */
export function doctorMarkdown(): string {
  const codes = Object.keys(doctorCodes) as DoctorCode[] // The keys of the table itself.
  const sections = doctorFamilies.flatMap((family) => {
    const own = codes.filter((code) => code.startsWith(`${family}.`))
    return own.length === 0
      ? []
      : [`## ${family}`, table(['Code', 'Kind', 'Meaning', 'What to do'], own.map(row))]
  })
  return page([
    '# Doctor codes',
    'Issues that `fleet doctor` can report, by family, and how to resolve them. In a command, `{node}` and `{node_name}` are the id and the name of the Node, `{role}` and `{name}` the name of the resource, and `{id}` its id. This page is generated: `npm run generate`.',
    ...sections,
  ])
}

function row(code: DoctorCode): readonly string[] {
  const { kind, summary, repair, repairOf, command, commandOf }: DoctorCodeSpec = doctorCodes[code]
  const usual = withCommand(repair, command)
  const others = Object.entries(repairOf ?? {}).map(
    ([word, text]) =>
      ` If it is \`${word}\`: ${withCommand(text, commandOf?.[word] === undefined ? command : commandOf[word])}`,
  )
  return [`\`${code}\``, kind, summary, usual + others.join('')]
}

function withCommand(text: string, command: string | null | undefined): string {
  return command === undefined || command === null ? text : `${text} \`fleet ${command}\``
}

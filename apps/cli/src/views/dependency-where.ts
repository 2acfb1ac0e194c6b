import type { DependencyHolder, DependencyHolders } from '@fleet/contract'
import { inline } from '#/print/value.ts'
import { type Paper, type Row, section, type View } from './view.ts'

/**
 * Versions by number of Instances, then each Instance with the path by which it requires the package. The end says of how many
 * Instances the answer knows nothing, or nothing current.
 */
export const dependencyWhere: View = {
  lines: (data, _also, paper) => {
    const found = data as unknown as DependencyHolders // The gateway answers by this declaration.
    const { package: name, range, versions, holders, next } = found
    const within = range === null ? '' : ` in the range ${inline(range)}`
    if (versions.length === 0)
      return [
        `No scanned Instance that you can access has ${inline(name)}${within}.`,
        ...notCurrentLines(found, paper),
      ]
    return [
      ...section('Versions', versions.map(versionRow), paper).slice(1),
      ...section('Instances', holders.map(holderRow), paper),
      ...notCurrentLines(found, paper),
      ...(next === null ? [] : ['', paper.colors.dim(`More: run the same command with --after ${next}`)]),
    ]
  },
}

const versionRow = ({ ecosystem, version, instances }: DependencyHolders['versions'][number]): Row => [
  inline(version),
  `${ecosystem}, ${instancesOf(instances)}`,
]

const instancesOf = (count: number): string => `${count} ${count === 1 ? 'Instance' : 'Instances'}`

/** Nothing where every inventory is current, and for a gateway of before, which does not count. */
function notCurrentLines(
  { not_current: counts = [] }: Partial<DependencyHolders>,
  { colors }: Paper,
): readonly string[] {
  if (counts.length === 0) return []
  const lines = counts.flatMap(({ ecosystem, unknown, stale }) => [
    ...(unknown === 0
      ? []
      : [
          `Not read: ${ecosystem} of ${instancesOf(unknown)}. ${unknown === 1 ? 'It' : 'Any of them'} may have the package.`,
        ]),
    ...(stale === 0 ? [] : [`Stale: ${ecosystem} of ${instancesOf(stale)}, whose latest scan failed.`]),
  ])
  return [
    '',
    ...lines.map(colors.red),
    colors.dim('fleet instance:dependencies:scan --all reads them, or says which cannot be read and why.'),
  ]
}

function holderRow(holder: DependencyHolder): Row {
  const { project, instance, instance_id, node, version, path, regular, stale } = holder
  const before = path.slice(0, -1).map((step) => `${inline(step.name)} ${inline(step.version)}`)
  return [
    `${project}/${instance} (${instance_id})`,
    [
      `${inline(version)} on ${inline(node.name)}`,
      before.length > 0 ? `by ${before.join(' > ')}` : path.length > 0 ? 'directly' : 'required by nothing',
      ...(regular ? [] : ['for development']),
      ...(stale ? ['stale'] : []),
    ].join(', '),
  ]
}

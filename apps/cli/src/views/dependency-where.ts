import type { DependencyHolder, DependencyHolders } from '@fleet/contract'
import { inline } from '#/print/value.ts'
import { type Row, section, type View } from './view.ts'

/** Versions by number of Instances, then each Instance with the path by which it requires the package. */
export const dependencyWhere: View = {
  lines: (data, _also, paper) => {
    const { package: name, range, versions, holders, next } = data as unknown as DependencyHolders // The gateway answers by this declaration.
    const within = range === null ? '' : ` in the range ${inline(range)}`
    if (versions.length === 0)
      return [`No scanned Instance that you can access has ${inline(name)}${within}.`]
    return [
      ...section('Versions', versions.map(versionRow), paper).slice(1),
      ...section('Instances', holders.map(holderRow), paper),
      ...(next === null ? [] : ['', paper.colors.dim(`More: run the same command with --after ${next}`)]),
    ]
  },
}

const versionRow = ({ ecosystem, version, instances }: DependencyHolders['versions'][number]): Row => [
  inline(version),
  `${ecosystem}, ${instances} ${instances === 1 ? 'Instance' : 'Instances'}`,
]

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

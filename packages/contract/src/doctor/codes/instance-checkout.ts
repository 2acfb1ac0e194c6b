import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `instance` about its checkout (DRF-042, DRF-043). */
export const instanceCheckoutCodes = {
  'instance.checkout_missing': {
    kind: 'drift',
    summary: 'The checkout of the Instance does not exist on its Node.',
    repair:
      'Put the directory back where it was, or remove the Instance and create it again. The command deletes what Fleet still has of it.',
    command: 'instance:destroy {id} --force',
  },
  'instance.source_layout_mismatch': {
    kind: 'drift',
    summary: 'At the path of the checkout is a file, a link or a directory without a repository.',
    repair:
      'Move it away and put the checkout back. If the checkout is lost, remove the Instance and create it again; Fleet deletes nothing that it did not create.',
    command: 'instance:show {id}',
  },
  'instance.source_identity_mismatch': {
    kind: 'drift',
    summary: 'At the path of the checkout is a repository that Fleet did not create for this Instance.',
    repair:
      'Move it away and put the checkout back: Fleet knows it by its receipt and its directory, so a copy does not count. If the checkout is lost, remove the Instance and create it again.',
    command: 'instance:show {id}',
  },
  'instance.repository_layout_mismatch': {
    kind: 'drift',
    summary: 'The repository of the checkout is bare, incomplete, or uses the objects of another one.',
    repair:
      'Restore `.git` of the checkout, with `git repack -a -d` where it borrows objects. The command prints where it is.',
    command: 'instance:show {id}',
  },
  'instance.origin_mismatch': {
    kind: 'drift',
    summary: 'The origin of the checkout is not the repository of the Project.',
    repair:
      'Set it back with `git remote set-url origin URL` in the checkout; `fleet project:show` prints the URL. The removal of the Instance needs it.',
    command: 'instance:show {id}',
  },
  'instance.web_root_link': {
    kind: 'drift',
    summary:
      'In a web root of the Instance, or its public storage, are symbolic links, which its site follows.',
    repair:
      'Remove them, or put copies in their place: in the checkout, which the command prints, `find DIRECTORY -type l` finds them. `public/storage` may lead to `storage/app/public`, where no links may be.',
    command: 'instance:show {id}',
  },
} as const satisfies Record<`instance.${string}`, DoctorCodeSpec>

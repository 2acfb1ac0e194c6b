import type { NextSteps } from './step.ts'
import { AGAIN, SAME_COMMAND } from './words.ts'

const LIST = 'fleet route:list shows the Routes, their domains and where they lead.'
const SHOW = 'fleet route:show ROUTE shows its state and the step that failed.'
const PHP =
  'fleet help project:update; in the repository, change require.php of composer.json to a version of details.available, or add a package source to the Node.'

/** One file that is gone or wrong keeps every other site of the Node from a change. */
const SITES = `details.message names the cause. Where a certificate is missing: fleet node:converge NODE --force issues it, and builds the sites again. ${AGAIN}`

/** Routes and the web server, with its PHP. */
export const routeSteps = {
  'app-dev.caddy_config_failed': SITES,
  'app-prod.caddy_config_failed': SITES,
  'router.caddy_config_failed': SITES,
  'ingress.caddy_config_failed': SITES,
  'route.not_found': LIST,
  'route.tld_required':
    'fleet cluster:update CLUSTER --tld TLD, or for a Node of its own fleet node:add NODE --tld TLD. Or name the domain: --domain DOMAIN',
  'route.scope_required':
    'Name what it leads to: --instance INSTANCE for a checkout, or --node NODE with --upstream URL or --process PROCESS.',
  'route.reconciliation_required': SHOW,
  'route.domain_conflict': LIST,
  'route.retry_conflict': `fleet route:show DOMAIN shows its values, fleet route:destroy DOMAIN removes it. ${AGAIN}`,
  'route.process_conflict': 'fleet process:list --target-type node --target-id NODE lists those of the Node.',
  'route.upstream_unresolved':
    'fleet process:start PROCESS starts it, and fleet process:logs PROCESS shows what it says. Then run the same command again.',
  'route.node_inactive': 'fleet node:list shows the state and the address of each Node.',
  'route.target_inactive': 'fleet instance:list shows the Instances and their states.',
  'route.web_root_unsafe': 'fleet help route:create explains which directories can be served.',
  'route.target_web_root_unsupported':
    'Only Projects that serve files or PHP have a web root: fleet project:show PROJECT. A Process that the Node itself owns gets a domain by fleet route:create DOMAIN --node NODE --process PROCESS',
  'route.target_app_conflict': LIST,
  'route.pool_unsupported': `${SHOW} For one Instance: fleet route:target:set ROUTE INSTANCE`,
  'route.target_scope_conflict':
    'fleet cluster:list shows the members of each Cluster, fleet node:role:list NODE the roles of a Node.',
  'route.target_disposition_required':
    'Say of each Instance that leaves where it goes: --reassign INSTANCE:ROUTE, or --remove INSTANCE',
  'route.target_set_conflict':
    'fleet route:show ROUTE shows the present targets and the step of the change. The command that began it finishes it; before its set is stored, one that names the present targets gives it up.',
  'route.web_root_unsupported': 'fleet route:create DOMAIN --instance INSTANCE',
  'route.router_required': 'Set one first: fleet cluster:router:set CLUSTER NODE',
  'route.kind_unsupported': 'fleet route:destroy ROUTE, then fleet route:create DOMAIN',
  'route.domain_change_conflict': SHOW,
  'route.web_root_domain_immutable': 'fleet route:create DOMAIN --instance INSTANCE --web-root PATH',
  'route.web_root_conflict': 'fleet route:create DOMAIN --instance INSTANCE --web-root PATH',
  'app-dev.php_version_unsupported': PHP,
  'app-prod.php_version_unsupported': PHP,
  'app-dev.source_evidence_changed': 'fleet instance:show INSTANCE shows its checkout.',
  'app-dev.php_pool_directory_missing': `fleet doctor:run --node NODE shows whose they are. Create them again, or remove those Instances. ${AGAIN}`,
  'app-prod.php_runtime_identity_invalid': SAME_COMMAND,
  'app-prod.php_cache_reset_rejected': 'fleet doctor:run --node NODE shows the PHP services.',
  'app-dev.source_access_failed':
    'Do what the message says of the entry that it names. Where it is about permissions, on the Node: getfacl PATH, with the path of the details. Every directory above it must be one that its user can open.',
  'app-prod.web_root_invalid': SHOW,
} as const satisfies NextSteps

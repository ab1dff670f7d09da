import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { allRoles, readConfig } from '../../src/core/runtime/config.ts'
import { routes } from '../../src/routes.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const read = (name: string) => readFileSync(join(deploy, name), 'utf8')
const kustomization = parse(read('kustomization.yaml'))
/** The file with secrets is written by the operator. */
const files: string[] = kustomization.resources.map((name: string) =>
  name.replace('secret.yaml', 'secret.example.yaml'),
)
const objects: any[] = files.flatMap((name) =>
  parseAllDocuments(read(name)).map((document) => {
    assert.deepEqual(document.errors, [], name)
    return document.toJS()
  }),
)
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
const named = (kind: string, name: string) =>
  ofKind(kind).find(({ metadata }) => metadata.name === name)

const text = { type: 'string' }
const port = { type: 'integer', minimum: 1, maximum: 65535 }
const texts = { type: 'object', additionalProperties: text }
const list = (items: object) => ({ type: 'array', minItems: 1, items })
/** An object with these fields and no others; those with a star are required. */
function shape(fields: Record<string, object>) {
  const names = Object.keys(fields)
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name.replace('*', ''), fields[name]])),
    required: names.filter((name) => name.endsWith('*')).map((name) => name.replace('*', '')),
  }
}
const quantity = { type: 'string', pattern: '^\\d+(m|Mi|Gi)$' }
const label = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'
const metadata = shape({
  'name*': { type: 'string', pattern: label },
  labels: texts,
  annotations: texts,
})
const selector = shape({ 'matchLabels*': texts })
const named_port = { type: 'string', pattern: '^[a-z][a-z0-9-]{0,14}$' }
const probe = shape({
  httpGet: shape({ 'path*': text, 'port*': named_port }),
  tcpSocket: shape({ 'port*': named_port }),
  periodSeconds: port,
  timeoutSeconds: port,
  failureThreshold: port,
})
const container = shape({
  'name*': text,
  'image*': text,
  command: list(text),
  args: list(text),
  envFrom: list(
    shape({ configMapRef: shape({ 'name*': text }), secretRef: shape({ 'name*': text }) }),
  ),
  env: list(shape({ 'name*': text, 'value*': text })),
  ports: list(shape({ 'name*': named_port, 'containerPort*': port })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  'resources*': shape({
    'requests*': shape({ 'cpu*': quantity, 'memory*': quantity }),
    'limits*': shape({ 'memory*': quantity }),
  }),
  'securityContext*': shape({
    'allowPrivilegeEscalation*': { const: false },
    readOnlyRootFilesystem: { const: true },
    'capabilities*': shape({ 'drop*': { const: ['ALL'] } }),
  }),
  volumeMounts: list(shape({ 'name*': text, 'mountPath*': text, subPath: text })),
})
const pod = shape({
  restartPolicy: { enum: ['Never', 'OnFailure'] },
  'automountServiceAccountToken*': { const: false },
  terminationGracePeriodSeconds: port,
  'securityContext*': shape({
    'runAsNonRoot*': { const: true },
    'runAsUser*': port,
    'runAsGroup*': port,
    'fsGroup*': port,
    'seccompProfile*': shape({ 'type*': { const: 'RuntimeDefault' } }),
  }),
  topologySpreadConstraints: list(
    shape({
      'maxSkew*': port,
      'topologyKey*': text,
      'whenUnsatisfiable*': { enum: ['ScheduleAnyway', 'DoNotSchedule'] },
      'labelSelector*': selector,
    }),
  ),
  'containers*': list(container),
  volumes: list(
    shape({
      'name*': text,
      emptyDir: shape({ sizeLimit: quantity }),
      configMap: shape({ 'name*': text }),
    }),
  ),
})
const service_port = shape({ 'name*': named_port, 'port*': port, targetPort: named_port })
const backend = shape({
  'service*': shape({ 'name*': text, 'port*': shape({ 'name*': named_port }) }),
})
const path = shape({
  'path*': { type: 'string', pattern: '^/' },
  'pathType*': { enum: ['Exact', 'Prefix', 'ImplementationSpecific'] },
  'backend*': backend,
})

/** The parts of the API of Kubernetes that the manifests use, by kind. */
const schemas: Record<string, [version: string, fields: Record<string, object>]> = {
  Namespace: ['v1', {}],
  ConfigMap: ['v1', { 'data*': texts }],
  Secret: ['v1', { 'type*': { const: 'Opaque' }, 'stringData*': texts }],
  Service: ['v1', { 'spec*': shape({ selector: texts, 'ports*': list(service_port) }) }],
  Deployment: [
    'apps/v1',
    {
      'spec*': shape({
        'replicas*': port,
        'strategy*': shape({
          type: { const: 'Recreate' },
          rollingUpdate: shape({ 'maxUnavailable*': { const: 0 }, 'maxSurge*': port }),
        }),
        'selector*': selector,
        'template*': shape({
          'metadata*': shape({ 'labels*': texts, annotations: texts }),
          'spec*': pod,
        }),
      }),
    },
  ],
  CronJob: [
    'batch/v1',
    {
      'spec*': shape({
        'schedule*': { type: 'string', pattern: '^\\d+ \\d+ \\* \\* \\*$' },
        'concurrencyPolicy*': { const: 'Forbid' },
        startingDeadlineSeconds: { type: 'integer', minimum: 600 },
        successfulJobsHistoryLimit: port,
        failedJobsHistoryLimit: port,
        'jobTemplate*': shape({
          'spec*': shape({
            backoffLimit: port,
            'template*': shape({ 'metadata*': shape({ 'labels*': texts }), 'spec*': pod }),
          }),
        }),
      }),
    },
  ],
  PodDisruptionBudget: [
    'policy/v1',
    { 'spec*': shape({ 'maxUnavailable*': port, 'selector*': selector }) },
  ],
  NetworkPolicy: [
    'networking.k8s.io/v1',
    {
      'spec*': shape({
        'podSelector*': shape({
          matchLabels: texts,
          matchExpressions: list(
            shape({ 'key*': text, 'operator*': { const: 'In' }, 'values*': list(text) }),
          ),
        }),
        'policyTypes*': list({ enum: ['Ingress', 'Egress'] }),
        ingress: list(
          shape({
            'from*': list(shape({ namespaceSelector: selector, podSelector: selector })),
            'ports*': list(shape({ 'port*': named_port })),
          }),
        ),
        egress: list(
          shape({ 'ports*': list(shape({ 'port*': port, protocol: { const: 'UDP' } })) }),
        ),
      }),
    },
  ],
  Ingress: [
    'networking.k8s.io/v1',
    {
      'spec*': shape({
        'ingressClassName*': text,
        'tls*': list(shape({ 'hosts*': list(text), 'secretName*': text })),
        'rules*': list(shape({ 'host*': text, 'http*': shape({ 'paths*': list(path) }) })),
      }),
    },
  ],
}

test('the manifests for Kubernetes follow the schemas of their kinds', () => {
  const ajv = new Ajv({ strict: false, allErrors: true })
  for (const object of objects) {
    const where = `${object.kind} ${object.metadata?.name}`
    const [version, fields] = schemas[object.kind] ?? assert.fail(`${where} has no schema`)
    const schema = shape({
      'apiVersion*': { const: version },
      'kind*': text,
      'metadata*': metadata,
      ...fields,
    })
    const is_valid = ajv.validate(schema, object)
    assert.ok(is_valid, `${where}: ${ajv.errorsText(ajv.errors)}`)
  }
  const names = objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`)
  assert.equal(new Set(names).size, names.length, 'two objects have the same name')
  for (const name of files) assert.ok(existsSync(join(deploy, name)), name)
})

// No package of Debian has it; where it is not installed, the schemas above are what is checked.
if (!spawnSync('kubeconform', ['-v']).error)
  test('kubeconform accepts the manifests', () => {
    const paths = files.map((name) => join(deploy, name))
    const { status, stdout } = spawnSync('kubeconform', ['-strict', '-summary', ...paths], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout)
  })

test('every role runs with accepted settings and enough time to stop', () => {
  const { data } = named('ConfigMap', 'slipway')
  const { stringData } = named('Secret', 'slipway')
  const roles = ofKind('Deployment').flatMap(({ spec }) => {
    const { containers, terminationGracePeriodSeconds, volumes } = spec.template.spec
    const [{ image, env = [], volumeMounts }] = containers
    for (const [key, value] of Object.entries(spec.selector.matchLabels))
      assert.equal(spec.template.metadata.labels[key], value)
    assert.deepEqual(
      volumeMounts.map((mount: any) => mount.name).sort(),
      volumes.map((volume: any) => volume.name).sort(),
    )
    if (image !== 'slipway') return []
    const variables = Object.fromEntries(env.map(({ name, value }: any) => [name, value]))
    const settings = { ...data, ...stringData, ...variables, DATA_DIR: '/var/lib/slipway' }
    const config = readConfig(settings)
    assert.ok(terminationGracePeriodSeconds > 2 * config.drain_seconds + 25)
    return config.roles
  })
  assert.deepEqual(roles.sort(), [...allRoles].sort())
  const known = readFileSync(join(deploy, '../.env.example'), 'utf8')
  for (const name of Object.keys({ ...data, ...stringData }))
    assert.match(known, new RegExp(`^#${name}=`, 'm'))
  for (const url of [data.REDIS_URL, data.CLAMD_URL])
    assert.ok(named('Service', new URL(url).hostname), url)
})

test('the nightly backup has the image, the settings and the user of the service', () => {
  const [cron_job] = ofKind('CronJob')
  const { metadata: own, spec } = cron_job.spec.jobTemplate.spec.template
  const service = named('Deployment', 'slipway-worker').spec.template.spec
  const [{ image, envFrom, command, securityContext, volumeMounts }] = spec.containers
  const [container] = service.containers
  assert.deepEqual(
    [image, envFrom, securityContext, volumeMounts, spec.securityContext, spec.volumes],
    [
      container.image,
      container.envFrom,
      container.securityContext,
      container.volumeMounts,
      service.securityContext,
      service.volumes,
    ],
  )
  assert.deepEqual(command, ['slipway-admin', 'backup', '--keep', '14'])
  const { stringData } = named('Secret', 'slipway')
  assert.ok('BACKUP_TARGET' in stringData && 'BACKUP_PASSPHRASE' in stringData)
  // Requests of visitors must not reach it.
  for (const {
    metadata,
    spec: { selector },
  } of ofKind('Service'))
    assert.ok(
      !selector || Object.entries(selector).some(([key, value]) => own.labels[key] !== value),
      metadata.name,
    )
})

test('probes and services use ports that the containers open, and paths of the service', () => {
  for (const { metadata: own, spec } of ofKind('Deployment')) {
    const [{ image, ports, ...probes }] = spec.template.spec.containers
    const open = ports.map((opened: any) => opened.name)
    const paths: Record<string, string> = {
      startupProbe: '/health',
      livenessProbe: '/health',
      // A part that all share must not take all of them out of service.
      readinessProbe: '/ready?scope=process',
    }
    for (const [name, path] of Object.entries(paths)) {
      const probed = probes[name]
      if (!probed && image !== 'slipway' && name !== 'readinessProbe') continue
      assert.ok(open.includes((probed.httpGet ?? probed.tcpSocket).port), `${own.name} ${name}`)
      if (image === 'slipway') assert.equal(probed.httpGet.path, path, `${own.name} ${name}`)
    }
    const isOf = ({ spec: { selector: wanted } }: any) =>
      wanted && Object.entries(wanted).every(([key, value]) => own.labels[key] === value)
    for (const service of ofKind('Service').filter(isOf))
      for (const { targetPort } of service.spec.ports)
        assert.ok(open.includes(targetPort), service.metadata.name)
  }
})

test('each port is open to those who use it, and to nobody else', () => {
  const isSelected = ({ matchLabels = {}, matchExpressions = [] }: any, own: any) =>
    Object.entries(matchLabels).every(([key, value]) => own[key] === value) &&
    matchExpressions.every(({ key, values }: any) => values.includes(own[key]))
  const callersOf = (own: object, name: string): string[] =>
    ofKind('NetworkPolicy')
      .filter(({ spec }) => isSelected(spec.podSelector, own))
      .flatMap(({ spec }) => spec.ingress ?? [])
      .filter(({ ports }) => ports.some((opened: any) => opened.port === name))
      .flatMap(({ from }) => from)
      .flatMap(({ namespaceSelector, podSelector }) =>
        Object.values<string>((namespaceSelector ?? podSelector).matchLabels),
      )
  const callers = ofKind('Deployment').flatMap(({ metadata: { name: deployment }, spec }) => {
    const { metadata: own, spec: template } = spec.template
    return template.containers[0].ports.map(({ name }: any) => [
      `${deployment} ${name}`,
      callersOf(own.labels, name).join(),
    ])
  })
  assert.deepEqual(Object.fromEntries(callers), {
    'slipway-api http': 'ingress-nginx',
    'slipway-api metrics': 'monitoring',
    'slipway-web http': 'ingress-nginx',
    'slipway-web metrics': 'monitoring',
    'slipway-upload http': 'ingress-nginx',
    'slipway-upload metrics': 'monitoring',
    'slipway-worker http': '',
    'slipway-worker metrics': 'monitoring',
    'slipway-redis redis': 'slipway',
    'slipway-clamd clamd': 'slipway',
  })
  // A pod that no policy selects is open to all.
  const [backup] = ofKind('CronJob').map(({ spec }) => spec.jobTemplate.spec)
  for (const { template } of [backup, ...ofKind('Deployment').map(({ spec }) => spec)])
    assert.ok(
      ofKind('NetworkPolicy').some(({ spec }) =>
        isSelected(spec.podSelector, template.metadata.labels),
      ),
    )
})

test('services and budgets select processes, and the ingress routes uploads to theirs', () => {
  const labels = ofKind('Deployment').map(({ spec }) => spec.template.metadata.labels)
  const isSelected = (wanted: object) =>
    labels.some((own) => Object.entries(wanted).every(([key, value]) => own[key] === value))
  for (const { spec, metadata: own } of [...ofKind('Service'), ...ofKind('PodDisruptionBudget')]) {
    const wanted = spec.selector?.matchLabels ?? spec.selector
    if (own.name !== 'slipway-nothing') assert.ok(isSelected(wanted), own.name)
  }
  const { spec } = named('Ingress', 'slipway')
  const paths = spec.rules[0].http.paths as { path: string; pathType: string; backend: any }[]
  for (const { backend: target } of paths) assert.ok(named('Service', target.service.name))
  // ingress-nginx tries longer expressions first.
  const sorted = paths.toSorted((a, b) => b.path.length - a.path.length)
  const serviceOf = (url: string) =>
    sorted.find(({ path: pattern, pathType }) =>
      pathType === 'Exact' ? pattern === url : new RegExp(`^${pattern}`).test(url),
    )!.backend.service.name
  for (const { url, role = 'api' } of routes) {
    const target = serviceOf(url.replaceAll(/:\w+/g, 'x'))
    assert.equal(target === 'slipway-upload', role === 'upload', url)
    if (url.startsWith('/api/') && role === 'api') assert.equal(target, 'slipway-api', url)
  }
  assert.equal(serviceOf('/ready'), 'slipway-nothing')
  assert.equal(serviceOf('/'), 'slipway-web')
})

test('the ingress of games has the names of PLAY_URL and leads to the website', () => {
  const { data } = named('ConfigMap', 'slipway')
  const { spec } = named('Ingress', 'slipway-play')
  const name = new URL(data.PLAY_URL.replace('*', 'star')).hostname.replace('star', '*')
  assert.deepEqual(
    [spec.tls[0].hosts, spec.rules.map(({ host }: { host: string }) => host)],
    [[name], [name]],
  )
  assert.notEqual(spec.tls[0].secretName, named('Ingress', 'slipway').spec.tls[0].secretName)
  const paths = spec.rules[0].http.paths.map(({ path: prefix, backend: target }: any) => [
    prefix,
    target.service.name,
  ])
  assert.deepEqual(paths, [['/', 'slipway-web']])
})

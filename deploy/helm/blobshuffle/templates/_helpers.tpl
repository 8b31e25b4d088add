{{/* The name of all resources: the release, and the chart if the release does not name it. */}}
{{- define "blobshuffle.name" -}}
{{- $name := .Values.fullnameOverride -}}
{{- if not $name -}}
{{- $name = contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z][a-z0-9-]{0,39}$" $name) -}}
{{- fail (printf "Cannot name resources '%s': a name begins with a letter, and has at most 40 letters, digits and '-'. Use another release name, or set fullnameOverride." $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- define "blobshuffle.selector" -}}
app.kubernetes.io/name: blobshuffle
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "blobshuffle.labels" -}}
{{ include "blobshuffle.selector" . }}
app.kubernetes.io/version: {{ include "blobshuffle.tag" . | trunc 63 | trimSuffix "-" | quote }}
{{- end -}}

{{- define "blobshuffle.tag" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "blobshuffle.image" -}}
{{- if .Values.image.digest -}}
{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else -}}
{{ printf "%s:%s" .Values.image.repository (include "blobshuffle.tag" .) }}
{{- end -}}
{{- end -}}

{{/* Values: root, of (its values), component. */}}
{{- define "blobshuffle.serviceAccount" -}}
{{ .of.serviceAccount.name | default (printf "%s-%s" (include "blobshuffle.name" .root) .component) }}
{{- end -}}

{{/* The caches of a zone. Its pods get "-0" and a hash behind it, in a label of 63 characters. */}}
{{- define "blobshuffle.zoneName" -}}
{{- $name := printf "%s-cache-%s" (include "blobshuffle.name" .root) .zone -}}
{{- if gt (len $name) 52 -}}
{{- fail (printf "Cannot name the caches of zone %s: '%s' has more than 52 characters. Use a shorter release name, or set fullnameOverride." .zone $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* zone=host:port of every cache. The hosts are the services in front of one pod each. */}}
{{- define "blobshuffle.members" -}}
{{- $members := list -}}
{{- range $zone := .Values.cache.zones -}}
{{- $name := include "blobshuffle.zoneName" (dict "root" $ "zone" $zone) -}}
{{- range $index := until (int $.Values.cache.replicas) -}}
{{- $members = append $members (printf "%s=%s-%d.%s.svc:%d" $zone $name $index $.Release.Namespace (int $.Values.cache.port)) -}}
{{- end -}}
{{- end -}}
{{- join "," $members -}}
{{- end -}}

{{/* The security context of every pod: the restricted profile of the Pod Security Standards. */}}
{{- define "blobshuffle.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "blobshuffle.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Environment variables of a container. Values: root, javaOptions. */}}
{{- define "blobshuffle.variables" -}}
- name: BLOBSHUFFLE_JAVA_OPTS
  value: {{ .javaOptions | trim | quote }}
{{- range $name, $value := .root.Values.environment }}
{{- if has $name (list "BLOBSHUFFLE_JAVA_OPTS" "POD_NAME") }}
{{- fail (printf "Cannot set %s in environment: the chart sets it. Use javaOptions for options of the JVM." $name) }}
{{- end }}
- name: {{ $name | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Variables from a Secret. The value is the name of the Secret. */}}
{{- define "blobshuffle.credentials" -}}
{{- with . -}}
envFrom:
  - secretRef:
      name: {{ . | quote }}
{{- end -}}
{{- end -}}

{{/* Labels of pods. Values: root, of (its values), component. */}}
{{- define "blobshuffle.podLabels" -}}
{{- range $name, $value := .of.podLabels }}
{{- if or (hasPrefix "app.kubernetes.io/" $name) (hasPrefix "blobshuffle.dev/" $name) }}
{{- fail (printf "Cannot set the label %s in podLabels: the chart sets and selects it. Use another name." $name) }}
{{- end }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{ include "blobshuffle.labels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Values: memory in MiB, cpu. */}}
{{- define "blobshuffle.resources" -}}
requests:
  cpu: {{ .cpu.request | quote }}
  memory: {{ .memory }}Mi
limits:
{{- with .cpu.limit }}
  cpu: {{ . | quote }}
{{- end }}
  memory: {{ .memory }}Mi
{{- end -}}

{{/* Where pods run and what they may use. Values: root, of (its values), component. */}}
{{- define "blobshuffle.pod" -}}
serviceAccountName: {{ include "blobshuffle.serviceAccount" . | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "blobshuffle.podSecurity" . | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- with .of.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .of.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .of.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A kubelet has no certificate, so where members need one it only connects. */}}
{{- define "blobshuffle.probe" -}}
{{- if .Values.cache.tlsSecretName -}}
tcpSocket:
  port: members
{{- else -}}
httpGet:
  path: /health
  port: members
  scheme: {{ eq .Values.cache.transport "mac" | ternary "HTTP" "HTTPS" }}
{{- end -}}
{{- end -}}

{{/* A tenth more than the capacity, for the file system. */}}
{{- define "blobshuffle.diskMiB" -}}
{{ div (mul .Values.cache.disk.capacityGiB 11264) 10 }}
{{- end -}}

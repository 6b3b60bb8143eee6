{{- define "labels" -}}
app.kubernetes.io/name: llm-tool-test
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: worker
{{- end }}

{{- /* The worker rewrites this file every second. */}}
{{- define "alive" -}}
exec:
  command:
    - sh
    - -c
    - find /home/state -maxdepth 2 -name worker-alive -newermt '20 seconds ago' | grep -q .
timeoutSeconds: 5
{{- end }}

// The GTK part of webprocess_linux.go.
#include <stdint.h>
#include <webkit2/webkit2.h>

// Defined in webprocess_linux.go.
extern void pilotfishPageEnded(uintptr_t handle);

// find stores the web view below a widget in *found.
static void find(GtkWidget *widget, gpointer found) {
  if (WEBKIT_IS_WEB_VIEW(widget))
    *(GtkWidget **)found = widget;
  else if (GTK_IS_CONTAINER(widget))
    gtk_container_foreach(GTK_CONTAINER(widget), find, found);
}

// view returns the web view of our window; NULL when there is none. Call it on
// GTK's thread.
static GtkWidget *view(void) {
  GtkWidget *found = NULL;
  GList *windows = gtk_window_list_toplevels();
  for (GList *at = windows; at != NULL; at = at->next)
    find(GTK_WIDGET(at->data), &found);
  g_list_free(windows);
  return found;
}

static void ended(WebKitWebView *page, WebKitWebProcessTerminationReason reason, gpointer handle) {
  pilotfishPageEnded((uintptr_t)handle);
}

static gboolean watch(gpointer handle) {
  GtkWidget *page = view();
  if (page != NULL)
    g_signal_connect(page, "web-process-terminated", G_CALLBACK(ended), handle);
  return G_SOURCE_REMOVE;
}

static gboolean reload(gpointer unused) {
  GtkWidget *page = view();
  if (page != NULL)
    webkit_web_view_reload(WEBKIT_WEB_VIEW(page));
  return G_SOURCE_REMOVE;
}

// Both may be called on any thread.
void pilotfish_watch_page(uintptr_t handle) { g_idle_add(watch, (gpointer)handle); }
void pilotfish_reload_page(void) { g_idle_add(reload, NULL); }

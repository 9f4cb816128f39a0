#include "CConsole.h"

// The files of the console, in the order of their paths. A test compares this table with the folder `web`.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char base_data_js[] = {
#embed "web/base/data.js"
};
static const unsigned char base_dom_js[] = {
#embed "web/base/dom.js"
};
static const unsigned char base_feed_js[] = {
#embed "web/base/feed.js"
};
static const unsigned char base_format_js[] = {
#embed "web/base/format.js"
};
static const unsigned char base_paths_js[] = {
#embed "web/base/paths.js"
};
static const unsigned char base_routes_js[] = {
#embed "web/base/routes.js"
};
static const unsigned char base_session_js[] = {
#embed "web/base/session.js"
};
static const unsigned char base_signals_js[] = {
#embed "web/base/signals.js"
};
static const unsigned char icon_svg[] = {
#embed "web/icon.svg"
};
static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char main_js[] = {
#embed "web/main.js"
};
static const unsigned char pages_bench_js[] = {
#embed "web/pages/bench.js"
};
static const unsigned char pages_cluster_js[] = {
#embed "web/pages/cluster.js"
};
static const unsigned char pages_connect_js[] = {
#embed "web/pages/connect.js"
};
static const unsigned char pages_data_js[] = {
#embed "web/pages/data.js"
};
static const unsigned char pages_events_js[] = {
#embed "web/pages/events.js"
};
static const unsigned char pages_report_js[] = {
#embed "web/pages/report.js"
};
static const unsigned char pages_rules_js[] = {
#embed "web/pages/rules.js"
};
static const unsigned char parts_actions_js[] = {
#embed "web/parts/actions.js"
};
static const unsigned char parts_cluster_picture_js[] = {
#embed "web/parts/cluster-picture.js"
};
static const unsigned char parts_cluster_state_js[] = {
#embed "web/parts/cluster-state.js"
};
static const unsigned char parts_compare_nodes_js[] = {
#embed "web/parts/compare-nodes.js"
};
static const unsigned char parts_event_details_js[] = {
#embed "web/parts/event-details.js"
};
static const unsigned char parts_import_file_js[] = {
#embed "web/parts/import-file.js"
};
static const unsigned char parts_plot_js[] = {
#embed "web/parts/plot.js"
};
static const unsigned char parts_row_text_js[] = {
#embed "web/parts/row-text.js"
};
static const unsigned char parts_rules_editor_js[] = {
#embed "web/parts/rules-editor.js"
};
static const unsigned char parts_run_plots_js[] = {
#embed "web/parts/run-plots.js"
};
static const unsigned char parts_run_record_js[] = {
#embed "web/parts/run-record.js"
};
static const unsigned char parts_run_text_js[] = {
#embed "web/parts/run-text.js"
};
static const unsigned char parts_run_why_js[] = {
#embed "web/parts/run-why.js"
};
static const unsigned char parts_space_time_js[] = {
#embed "web/parts/space-time.js"
};
static const unsigned char parts_spark_line_js[] = {
#embed "web/parts/spark-line.js"
};
static const unsigned char parts_table_columns_js[] = {
#embed "web/parts/table-columns.js"
};
static const unsigned char parts_tree_compare_js[] = {
#embed "web/parts/tree-compare.js"
};
static const unsigned char parts_tree_history_js[] = {
#embed "web/parts/tree-history.js"
};
static const unsigned char parts_tree_keys_js[] = {
#embed "web/parts/tree-keys.js"
};
static const unsigned char parts_tree_model_js[] = {
#embed "web/parts/tree-model.js"
};
static const unsigned char parts_tree_row_js[] = {
#embed "web/parts/tree-row.js"
};
static const unsigned char parts_tree_scroll_js[] = {
#embed "web/parts/tree-scroll.js"
};
static const unsigned char parts_tree_view_js[] = {
#embed "web/parts/tree-view.js"
};
static const unsigned char parts_value_history_js[] = {
#embed "web/parts/value-history.js"
};
static const unsigned char parts_value_panel_js[] = {
#embed "web/parts/value-panel.js"
};
static const unsigned char report_css[] = {
#embed "web/report.css"
};
static const unsigned char style_css[] = {
#embed "web/style.css"
};

#define HEARTH_FILE(path, bytes) {path, bytes, sizeof(bytes)}

static const struct hearth_console_file files[] = {
    HEARTH_FILE("base/data.js", base_data_js),
    HEARTH_FILE("base/dom.js", base_dom_js),
    HEARTH_FILE("base/feed.js", base_feed_js),
    HEARTH_FILE("base/format.js", base_format_js),
    HEARTH_FILE("base/paths.js", base_paths_js),
    HEARTH_FILE("base/routes.js", base_routes_js),
    HEARTH_FILE("base/session.js", base_session_js),
    HEARTH_FILE("base/signals.js", base_signals_js),
    HEARTH_FILE("icon.svg", icon_svg),
    HEARTH_FILE("index.html", index_html),
    HEARTH_FILE("main.js", main_js),
    HEARTH_FILE("pages/bench.js", pages_bench_js),
    HEARTH_FILE("pages/cluster.js", pages_cluster_js),
    HEARTH_FILE("pages/connect.js", pages_connect_js),
    HEARTH_FILE("pages/data.js", pages_data_js),
    HEARTH_FILE("pages/events.js", pages_events_js),
    HEARTH_FILE("pages/report.js", pages_report_js),
    HEARTH_FILE("pages/rules.js", pages_rules_js),
    HEARTH_FILE("parts/actions.js", parts_actions_js),
    HEARTH_FILE("parts/cluster-picture.js", parts_cluster_picture_js),
    HEARTH_FILE("parts/cluster-state.js", parts_cluster_state_js),
    HEARTH_FILE("parts/compare-nodes.js", parts_compare_nodes_js),
    HEARTH_FILE("parts/event-details.js", parts_event_details_js),
    HEARTH_FILE("parts/import-file.js", parts_import_file_js),
    HEARTH_FILE("parts/plot.js", parts_plot_js),
    HEARTH_FILE("parts/row-text.js", parts_row_text_js),
    HEARTH_FILE("parts/rules-editor.js", parts_rules_editor_js),
    HEARTH_FILE("parts/run-plots.js", parts_run_plots_js),
    HEARTH_FILE("parts/run-record.js", parts_run_record_js),
    HEARTH_FILE("parts/run-text.js", parts_run_text_js),
    HEARTH_FILE("parts/run-why.js", parts_run_why_js),
    HEARTH_FILE("parts/space-time.js", parts_space_time_js),
    HEARTH_FILE("parts/spark-line.js", parts_spark_line_js),
    HEARTH_FILE("parts/table-columns.js", parts_table_columns_js),
    HEARTH_FILE("parts/tree-compare.js", parts_tree_compare_js),
    HEARTH_FILE("parts/tree-history.js", parts_tree_history_js),
    HEARTH_FILE("parts/tree-keys.js", parts_tree_keys_js),
    HEARTH_FILE("parts/tree-model.js", parts_tree_model_js),
    HEARTH_FILE("parts/tree-row.js", parts_tree_row_js),
    HEARTH_FILE("parts/tree-scroll.js", parts_tree_scroll_js),
    HEARTH_FILE("parts/tree-view.js", parts_tree_view_js),
    HEARTH_FILE("parts/value-history.js", parts_value_history_js),
    HEARTH_FILE("parts/value-panel.js", parts_value_panel_js),
    HEARTH_FILE("report.css", report_css),
    HEARTH_FILE("style.css", style_css),
};

const size_t hearth_console_file_count = sizeof files / sizeof files[0];

const struct hearth_console_file *hearth_console_all_files(void) { return files; }
